#include "ir/core/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/core/scalar.h"
#include "nestwright/error.h"

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

struct NarrowFormat {
  int digits;    ///< of the significand, the implicit one included
  int least;     ///< frexp exponent of the smallest normal number
  int greatest;  ///< frexp exponent of the largest number
};

NarrowFormat narrow_format(Type type) {
  switch (type.code) {
    case TypeCode::kFloat:
      return {11, -13, 16};
    case TypeCode::kBFloat:
      return {8, -125, 128};
    case TypeCode::kInt:
    case TypeCode::kUInt:
    case TypeCode::kBool:
      break;
  }
  throw InternalError("internal error: " + type.str() + " is no narrow floating-point type");
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
  const auto [digits, least, greatest] = narrow_format(type);
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
