// Makes an operator from a parsed expression. Thread rule: a pure function.
#pragma once

#include <memory>

#include "nestwright/text_operator.h"
#include "text/expression.h"

namespace nestwright {

/// The operator of an expression of any sizes: its name is the canonical text, its parameters are the sizes. If it is a
/// product, it has the templates of the registry's matmul, too.
std::shared_ptr<const Operator> make_text_operator(const text::Expression& expression,
                                                   const Registry& registry = builtin_registry());

}  // namespace nestwright
