// Computes operators on literals.
// Thread rule: a pure function.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "text/syntax/syntax.h"

namespace nestwright::text {

using Literal = std::variant<Integer, Real>;

/// The value of `a op b`, in int64 of two integers and else in double; nullopt where one of them is no literal or
/// the operation is not done here. Throws ExpressionError, at offset `at` of `text`, where the result is out of range,
/// and for a quotient of integers.
std::optional<Literal> fold_literals(const std::string& text, std::size_t at, ir::BinaryOp op, const Term& a,
                                     const Term& b);

}  // namespace nestwright::text
