// Makes an operator from an expression: from its text (docs/expressions.md), with templates that serve it, so that it
// is tuned, looked up and exported like any other; or from the tensors that a function defines.
//
//   const Workload workload = workload_of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=512 k=512");
//   workload.op->name     // C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])
//   workload.str()        // the same with i0=512 i1=512 i2=512
//
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/registry.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// Whether a workload's text is an expression: operators' names and parameters have no brackets.
bool is_expression_text(std::string_view workload);

/// The workload of an expression with its sizes. Throws UsageError, which says where and why, if
/// it is malformed.
Workload workload_of(std::string_view expression, const Registry& registry = builtin_registry());

/// An operator without templates whose tensors `define` gives, and whose reference computes them as they are written,
/// in double. `define` may leave Definition::flops and bytes 0, which then follow from the tensors: bytes counts all of
/// their elements. Their shapes are constant for given parameters, and they are compact. The reference throws
/// UsageError where results cannot be judged (section 2 of docs/expressions.md).
Operator defined_operator(std::string name, std::vector<OperatorParameter> parameters,
                          const std::function<Definition(const Workload&)>& define);

}  // namespace nestwright

#pragma GCC visibility pop
