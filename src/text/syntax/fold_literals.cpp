#include "text/syntax/fold_literals.h"

#include <cmath>

#include "text/syntax/expression_error.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;

std::optional<double> literal(const Term& t) {
  if (const auto* integer = std::get_if<Integer>(&t.value)) return static_cast<double>(integer->value);
  if (const auto* real = std::get_if<Real>(&t.value)) return real->value;
  return std::nullopt;
}

}  // namespace

std::optional<Literal> fold_literals(const std::string& text, std::size_t at, BinaryOp op, const Term& a,
                                     const Term& b) {
  const auto* m = std::get_if<Integer>(&a.value);
  const auto* n = std::get_if<Integer>(&b.value);
  const bool are_whole = m != nullptr && n != nullptr;
  const std::optional<double> x = literal(a), y = literal(b);
  std::int64_t whole = 0;
  double real = 0;
  bool overflows = false;
  switch (op) {
    case BinaryOp::kAdd:
      if (are_whole) overflows = __builtin_add_overflow(m->value, n->value, &whole);
      real = x.value_or(0) + y.value_or(0);
      break;
    case BinaryOp::kSub:
      if (are_whole) overflows = __builtin_sub_overflow(m->value, n->value, &whole);
      real = x.value_or(0) - y.value_or(0);
      break;
    case BinaryOp::kMul:
      if (are_whole) overflows = __builtin_mul_overflow(m->value, n->value, &whole);
      real = x.value_or(0) * y.value_or(0);
      break;
    case BinaryOp::kDiv:
      if (are_whole) {
        throw ExpressionError(text, at,
                              "a quotient of two integers is rounded down: write its value, or 1.0/3 for a fraction");
      }
      real = x.value_or(0) / y.value_or(1);
      break;
    case BinaryOp::kMod:
      if (are_whole && n->value > 0) return Integer{ir::floor_mod(m->value, n->value)};
      return std::nullopt;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return std::nullopt;
  }
  if (!x || !y) return std::nullopt;
  if (overflows || std::isnan(real)) {
    throw ExpressionError(text, at, "the result of these two numbers is out of range");
  }
  if (are_whole) return Integer{whole};
  return Real{real};
}

}  // namespace nestwright::text
