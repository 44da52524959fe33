#include "ir/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace nestwright::ir {
namespace {

using U64 = std::uint64_t;

template <class T>
std::optional<bool> compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kGt:
      return a > b;
    case BinaryOp::kGe:
      return a >= b;
    default:
      return std::nullopt;
  }
}

// Values of uint64 are kept as their bit pattern, so order and division are decided on the unsigned value.
std::optional<std::int64_t> arithmetic(BinaryOp op, std::int64_t a, std::int64_t b, bool is_unsigned) {
  const U64 ua = static_cast<U64>(a), ub = static_cast<U64>(b);
  const bool a_less = is_unsigned ? ua < ub : a < b;
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<std::int64_t>(ua + ub);
    case BinaryOp::kSub:
      return static_cast<std::int64_t>(ua - ub);
    case BinaryOp::kMul:
      return static_cast<std::int64_t>(ua * ub);
    case BinaryOp::kDiv:
      if (b == 0) return std::nullopt;
      return is_unsigned ? static_cast<std::int64_t>(ua / ub) : floor_div(a, b);
    case BinaryOp::kMod:
      if (b == 0) return std::nullopt;
      return is_unsigned ? static_cast<std::int64_t>(ua % ub) : floor_mod(a, b);
    case BinaryOp::kMin:
      return a_less ? a : b;
    case BinaryOp::kMax:
      return a_less ? b : a;
    case BinaryOp::kAnd:
      return a & b;
    case BinaryOp::kOr:
      return a | b;
    default:
      return std::nullopt;
  }
}

std::optional<double> arithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    default:
      break;
  }
  if (std::isnan(a) || std::isnan(b)) return std::nullopt;  // which operand a minimum with NaN gives is the target's
  if (op == BinaryOp::kMin) return std::min(a, b);
  if (op == BinaryOp::kMax) return std::max(a, b);
  return std::nullopt;
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
  const Type type = a.type();
  if (const auto *x = a.as<IntImm>(), *y = b.as<IntImm>(); x && y) {
    const bool is_unsigned = type.code == TypeCode::kUInt;
    const auto truth = is_unsigned ? compare(op, static_cast<U64>(x->value), static_cast<U64>(y->value))
                                   : compare(op, x->value, y->value);
    if (truth) return make_bool(*truth);
    const auto value = arithmetic(op, x->value, y->value, is_unsigned);
    return value ? make_int(*value, type) : Expr();
  }
  if (const auto *x = a.as<FloatImm>(), *y = b.as<FloatImm>(); x && y) {
    if (const auto truth = compare(op, x->value, y->value)) return make_bool(*truth);
    // Rounding a double result once more is exact for + - * / of every narrower type.
    const auto value = arithmetic(op, x->value, y->value);
    return value ? make_float(*value, type) : Expr();
  }
  return {};
}

Expr fold_cast(Type type, const Expr& value) {
  if (const auto* x = value.as<IntImm>()) {
    if (!type.is_float()) return make_int(x->value, type);
    const bool huge = value.type().code == TypeCode::kUInt && x->value < 0;
    if (huge) return {};
    // An int64 beyond 2^53 would be rounded twice on its way to a narrower float.
    if (type.bits < 64 && std::abs(static_cast<double>(x->value)) > 9007199254740992.0) return {};
    return make_float(static_cast<double>(x->value), type);
  }
  if (const auto* x = value.as<FloatImm>()) {
    if (type.is_float()) return make_float(x->value, type);
    if (type.is_bool()) return make_bool(x->value != 0);
    const double whole = std::trunc(x->value);
    if (!(std::abs(whole) < 9007199254740992.0)) return {};
    const auto integer = static_cast<std::int64_t>(whole);
    return wrap_int(integer, type) == integer ? make_int(integer, type) : Expr();
  }
  return {};
}

}  // namespace nestwright::ir
