#include "tests/property/value.h"

#include <algorithm>
#include <cmath>

namespace nestwright::property {
namespace {

/// The largest size at which integers are exact, with room for one addition.
double exact_limit(Type type) {
  if (type == kFloat64) return 0x1p50;
  if (type == kFloat32) return 0x1p22;
  return type == kFloat16 ? 0x1p9 : 0x1p6;
}

Expr number(double value, Type type) { return ir::make_const(value, type); }

Value product(Value a, Value b) {
  const Type type = a.e.type();
  if (type.is_float() && a.bound * b.bound > exact_limit(type)) {
    a = limited(std::move(a), 4);
    b = limited(std::move(b), 4);
  }
  return {a.e * b.e, a.bound * b.bound};
}

Value unary(Choices& choices, const Value& a) {
  const Type type = a.e.type();
  if (!type.is_float()) {
    const std::int64_t divisor = std::vector<std::int64_t>{2, 3, 5, 7, 16}[choices.below(5)];
    switch (choices.below(4)) {
      case 0:
        return {a.e / ir::make_int(divisor, type)};
      case 1:
        return {a.e % ir::make_int(divisor, type)};
      case 2:
        return {ir::make_call(ir::Intrinsic::kAbs, {a.e}, type)};
      default:
        return {ir::max(ir::min(a.e, number(9, type)), number(2, type))};
    }
  }
  // Gives integers: the argument of the rounding is far from where it changes, so that errors of a few ulp do not
  // matter.
  const auto rounded = [&](ir::Intrinsic intrinsic, double from, double to, double scale) {
    const Expr x = ir::max(ir::min(a.e, number(to, type)), number(from, type));
    const Expr y = ir::make_call(intrinsic, {x}, type) * number(scale, type);
    return Value{ir::make_call(ir::Intrinsic::kRound, {y}, type), 32};
  };
  const bool narrow = type.bits < 32;
  switch (narrow ? choices.below(3) : choices.below(10)) {
    case 0:
      return {ir::make_call(ir::Intrinsic::kAbs, {a.e}, type), a.bound};
    case 1:
      return {ir::make_call(ir::Intrinsic::kFloor, {a.e * number(0.5, type)}, type), a.bound};
    case 2:
      return {ir::make_call(ir::Intrinsic::kCeil, {a.e * number(0.25, type)}, type), a.bound};
    case 3:
      return rounded(ir::Intrinsic::kExp, -2, 2, 4);
    case 4:
      return rounded(ir::Intrinsic::kTanh, -2, 2, 4);
    case 5:
      return rounded(ir::Intrinsic::kSigmoid, -2, 2, 8);
    case 6:
      return rounded(ir::Intrinsic::kErf, -2, 2, 4);
    case 7:
      return rounded(ir::Intrinsic::kLog, 1, 3, 4);
    case 8:
      return rounded(ir::Intrinsic::kSqrt, 0, 3, 8);
    default:
      return rounded(ir::Intrinsic::kLog2, 1, 3, 4);
  }
}

}  // namespace

Value literal(int value, Type type) { return {number(value, type), std::abs(static_cast<double>(value))}; }

Value converted(const Value& value, Type type) {
  const Type from = value.e.type();
  if (from == type) return value;
  if (type.is_bool()) return {value.e > number(0, from)};
  if (from.is_bool()) return {ir::cast(type, value.e), 1};
  if (type.is_float() && from.is_int()) {
    // Conversion rounds large numbers, in the same way everywhere; then they are clamped.
    return limited({ir::cast(type, value.e), HUGE_VAL}, 8);
  }
  if (type.is_float() && value.bound > exact_limit(type)) return {ir::cast(type, limited(value, 8).e), 8};
  return {ir::cast(type, value.e), value.bound};
}

Value limited(Value value, double limit) {
  const Type type = value.e.type();
  if (!type.is_float() || value.bound <= limit) return value;
  return {ir::max(ir::min(value.e, number(limit, type)), number(-limit, type)), limit};
}

Value combined(Choices& choices, const Value& a, const Value& b) {
  const Type type = a.e.type();
  if (type.is_bool()) {
    switch (choices.below(4)) {
      case 0:
        return {a.e && b.e};
      case 1:
        return {a.e || b.e};
      case 2:
        return {!a.e || b.e};
      default:
        return {a.e == b.e};
    }
  }
  const auto sum_limited = [&](const Value& v) { return limited(v, exact_limit(type)); };
  switch (choices.weighted({20, 14, 14, 8, 8, 8, 6, 12})) {
    case 0:
      return {sum_limited(a).e + sum_limited(b).e, sum_limited(a).bound + sum_limited(b).bound};
    case 1:
      return {sum_limited(a).e - sum_limited(b).e, sum_limited(a).bound + sum_limited(b).bound};
    case 2:
      return product(a, b);
    case 3:
      return {ir::min(a.e, b.e), std::max(a.bound, b.bound)};
    case 4:
      return {ir::max(a.e, b.e), std::max(a.bound, b.bound)};
    case 5:
      return {ir::select(compared(choices, a, b), a.e, b.e), std::max(a.bound, b.bound)};
    case 6: {
      const Value x = limited(a, 4), y = limited(b, 4);
      return {ir::make_call(ir::Intrinsic::kFma, {x.e, y.e, x.e}, type), 20};
    }
    default: {
      const Value x = unary(choices, a);
      return {sum_limited(x).e + sum_limited(b).e, sum_limited(x).bound + sum_limited(b).bound};
    }
  }
}

Expr compared(Choices& choices, const Value& a, const Value& b) {
  switch (choices.below(6)) {
    case 0:
      return a.e < b.e;
    case 1:
      return a.e <= b.e;
    case 2:
      return a.e > b.e;
    case 3:
      return a.e >= b.e;
    case 4:
      return a.e == b.e;
    default:
      return a.e != b.e;
  }
}

Value reducible(ir::ReducerKind kind, const Value& value, double points) {
  const Type type = value.e.type();
  if (!type.is_float()) return value;
  // Powers of two (and 0) have exact products; half of the exponent range is left as room.
  if (kind == ir::ReducerKind::kProd) return limited(value, type == kFloat16 || points > 100 ? 1 : 2);
  if (kind != ir::ReducerKind::kSum) return value;
  return limited(value, std::max(1.0, std::floor(exact_limit(type) / points)));
}

double reduced_bound(ir::ReducerKind kind, const Value& value, double points) {
  if (kind == ir::ReducerKind::kSum) return value.bound * points;
  if (kind == ir::ReducerKind::kProd) return std::max(1.0, std::pow(value.bound, points));
  return value.bound;
}

}  // namespace nestwright::property
