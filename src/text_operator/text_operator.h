// Makes an operator from an expression text, with templates that serve it, so that it is tuned, looked up and exported
// like any other.
//
//   const Workload workload = workload_of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=512 k=512");
//   workload.op->name     // C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1])
//   workload.str()        // the same with i0=512 i1=512 i2=512
//
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <string_view>

#include "templates/framework/template/template.h"
#include "templates/registry.h"
#include "text/expression.h"

namespace nestwright {

/// The operator of an expression of any sizes: its name is the canonical text, its parameters are the sizes. If it is a
/// product, it has the templates of the registry's matmul, too.
std::shared_ptr<const Operator> make_text_operator(const text::Expression& expression,
                                                   const Registry& registry = builtin_registry());

/// Whether a workload's text is an expression: operators' names and parameters have no brackets.
bool is_expression_text(std::string_view workload);

/// The workload of an expression with its sizes. Throws text::ExpressionError.
Workload workload_of(std::string_view expression, const Registry& registry = builtin_registry());

}  // namespace nestwright
