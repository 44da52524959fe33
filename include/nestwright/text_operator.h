// Makes an operator from an expression text (docs/expressions.md), with templates that serve it, so that it is tuned,
// looked up and exported like any other.
//
//   const Workload workload = workload_of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=512 k=512");
//   workload.op->name     // C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])
//   workload.str()        // the same with i0=512 i1=512 i2=512
//
// Thread rule: pure functions.
#pragma once

#include <string_view>

#include "nestwright/registry.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// Whether a workload's text is an expression: operators' names and parameters have no brackets.
bool is_expression_text(std::string_view workload);

/// The workload of an expression with its sizes. Throws UsageError, which says where and why, if
/// it is malformed.
Workload workload_of(std::string_view expression, const Registry& registry = builtin_registry());

}  // namespace nestwright

#pragma GCC visibility pop
