#include "ir/core/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/scalar.h"

namespace nestwright::ir {
namespace {

using U64 = std::uint64_t;

// The value of a scalar literal; false where `e` is not one.
bool literal(const Expr& e, Scalar& value) {
  if (const auto* imm = e.as<IntImm>()) value = integer_scalar(imm->value);
  if (const auto* imm = e.as<FloatImm>()) value = float_scalar(imm->value);
  return e.as<IntImm>() != nullptr || e.as<FloatImm>() != nullptr;
}

Expr make_literal(Scalar value, Type type) {
  return type.is_float() ? make_float(value.f, type) : make_int(value.i, type);
}

}  // namespace

std::int64_t wrap_int(std::int64_t value, Type type) {
  if (type.is_bool()) return value != 0;
  if (type.bits >= 64) return value;
  const U64 low = static_cast<U64>(value) & ((U64{1} << type.bits) - 1);
  if (type.code == TypeCode::kUInt || (low >> (type.bits - 1)) == 0) return static_cast<std::int64_t>(low);
  return static_cast<std::int64_t>(low | ~((U64{1} << type.bits) - 1));
}

double round_float(double value, Type type) {
  if (type.bits == 64 || value == 0 || !std::isfinite(value)) return value;
  if (type.bits == 32) return static_cast<double>(static_cast<float>(value));
  const bool brain = type.code == TypeCode::kBFloat;
  const int digits = brain ? 8 : 11;      // of the significand, the implicit one included
  const int least = brain ? -125 : -13;   // frexp exponent of the smallest normal number
  const int greatest = brain ? 128 : 16;  // frexp exponent of the largest number
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent, least) - digits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  std::frexp(rounded, &exponent);
  if (exponent > greatest) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

Expr fold_binary(BinaryOp op, const Expr& a, const Expr& b) {
  Scalar x, y;
  if (!literal(a, x) || !literal(b, y)) return {};
  const Type type = a.type();
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kMod;
  if (divides && type.is_int() && y.i == 0) return {};
  return make_literal(apply_binary(op, type, x, y), is_comparison(op) ? kBool : type);
}

Expr fold_cast(Type type, const Expr& value) {
  Scalar x;
  return literal(value, x) ? make_literal(apply_cast(value.type(), type, x), type) : Expr();
}

}  // namespace nestwright::ir
