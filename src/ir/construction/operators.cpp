// The operators on expressions: they convert operands to the same type and lanes, and fold constants.
#include <cmath>

#include "ir/core/fold.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

bool is_literal(const Expr& e) { return e.as<IntImm>() || e.as<FloatImm>(); }

// Whether a literal has the type of a C++ literal, which the user did not choose: the other operand determines its
// type.
bool is_default_typed(const Expr& e) { return e.type() == (e.as<IntImm>() ? kIndex : kFloat32); }

// `literal` in the scalar type `type`; undefined where the type cannot represent it.
Expr retype(const Expr& literal, Type type) {
  if (const auto* imm = literal.as<IntImm>()) {
    if (literal.type() == kUInt64 && imm->value < 0) {  // the bits of a number above the largest int64
      const auto number = static_cast<double>(static_cast<std::uint64_t>(imm->value));
      return type.is_float() ? make_float(number, type) : Expr();
    }
    if (type.is_float()) return make_float(static_cast<double>(imm->value), type);
    if (type.is_bool() && imm->value != 0 && imm->value != 1) return {};
    return literal.type().is_bool() ? Expr() : make_int(imm->value, type);
  }
  const auto* imm = literal.as<FloatImm>();
  return imm && type.is_float() ? make_float(imm->written, type) : Expr();
}

// Whether a literal is finite as it was written, but infinite in its type.
bool is_beyond_range(const Expr& literal) {
  const auto* number = literal.as<FloatImm>();
  return number != nullptr && std::isinf(number->value) && !std::isinf(number->written);
}

// Whether `a` is converted to the type of `b`, rather than `b` to that of `a`: literals are converted; of two literals
// the integer, else the one of a default type.
bool yields(const Expr& a, const Expr& b) {
  if (!is_literal(a) || !is_literal(b)) return is_literal(a);
  const bool is_fraction = a.as<FloatImm>() != nullptr, other_is = b.as<FloatImm>() != nullptr;
  return is_fraction == other_is ? is_default_typed(a) : other_is;
}

bool fits(std::int64_t value, Type type) {
  const bool is_unsigned = type.code == TypeCode::kUInt;
  if (type.bits >= 64) return !is_unsigned || value >= 0;
  const std::int64_t end = std::int64_t{1} << (is_unsigned ? type.bits : type.bits - 1);
  return value < end && value >= (is_unsigned ? 0 : -end);
}

[[noreturn]] void refuse_literal(const Expr& literal, Type type, const char* op) {
  throw UsageError("the literal " + to_string(literal) + " beside '" + op + "' is no value of " + type.str() +
                   ": cast the other operand to a wider type");
}

}  // namespace

Expr retype_literal(const Expr& literal, Type type) {
  const bool is_of_type = literal.type() == type;
  Expr converted = is_of_type ? literal : retype(literal, type);
  if (!converted.defined() || is_beyond_range(converted)) return {};
  const auto* number = literal.as<IntImm>();
  const bool wraps = !is_of_type && number != nullptr && type.is_int() && !fits(number->value, type);
  return wraps ? Expr() : converted;
}

void make_agree(Expr& a, Expr& b, const char* op) {
  if (!a.defined() || !b.defined()) throw UsageError(std::string("an operand of '") + op + "' is undefined");
  const Type type_a = a.type(), type_b = b.type();
  if (type_a.element() != type_b.element()) {
    const bool a_yields = yields(a, b);
    Expr& given = a_yields ? a : b;
    const Type wanted = (a_yields ? type_b : type_a).element();
    Expr converted = is_literal(given) ? retype(given, wanted) : Expr();
    if (!converted.defined()) {
      throw UsageError(std::string("operands of '") + op + "' have types " + type_a.str() + " and " + type_b.str() +
                       ": cast one to the other's type");
    }
    const auto* number = given.as<IntImm>();
    if (number != nullptr && wanted.is_int() && !fits(number->value, wanted)) refuse_literal(given, wanted, op);
    given = std::move(converted);
  }
  for (const Expr* operand : {&a, &b}) {
    if (!is_beyond_range(*operand)) continue;
    refuse_literal(make_float(operand->as<FloatImm>()->written, kFloat64), operand->type(), op);
  }
  if (type_a.lanes == type_b.lanes) return;
  if (type_a.lanes != 1 && type_b.lanes != 1) {
    throw UsageError(std::string("operands of '") + op + "' have " + std::to_string(type_a.lanes) + " and " +
                     std::to_string(type_b.lanes) + " lanes: broadcast a scalar instead");
  }
  if (type_a.lanes == 1) {
    a = make_broadcast(std::move(a), type_b.lanes);
  } else {
    b = make_broadcast(std::move(b), type_a.lanes);
  }
}

namespace {

// x+0, x-0, x*1, x*0, x/1, x%1 and the neutral elements of && and ||; undefined where none applies. Of floats only x*1
// and x/1 are simplified: -0 + 0 is 0, and x*0 is NaN for a NaN.
Expr drop_neutral(BinaryOp op, const Expr& a, const Expr& b) {
  if (const auto* imm = b.as<FloatImm>()) {
    return (op == BinaryOp::kMul || op == BinaryOp::kDiv) && imm->value == 1 ? a : Expr();
  }
  if (const auto* imm = a.as<FloatImm>()) return op == BinaryOp::kMul && imm->value == 1 ? b : Expr();
  if (const std::int64_t* y = as_const_int(b)) {
    const bool zero = *y == 0, one = *y == 1;
    switch (op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
        if (zero) return a;
        break;
      case BinaryOp::kMul:
        if (zero) return b;
        if (one) return a;
        break;
      case BinaryOp::kDiv:
        if (one) return a;
        break;
      case BinaryOp::kMod:
        if (one) return make_int(0, a.type());
        break;
      case BinaryOp::kAnd:
        return one ? a : b;
      case BinaryOp::kOr:
        return one ? b : a;
      case BinaryOp::kMin:
      case BinaryOp::kMax:
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kGt:
      case BinaryOp::kGe:
        break;
    }
  }
  if (const std::int64_t* x = as_const_int(a)) {
    if (op == BinaryOp::kAdd && *x == 0) return b;
    if (op == BinaryOp::kMul && *x == 0) return a;
    if (op == BinaryOp::kMul && *x == 1) return b;
    if (op == BinaryOp::kAnd) return *x == 1 ? b : a;
    if (op == BinaryOp::kOr) return *x == 1 ? a : b;
  }
  return {};
}

}  // namespace

Expr apply(BinaryOp op, const Expr& left, const Expr& right) {
  Expr a = left, b = right;
  make_agree(a, b, binary_op_name(op));
  const Type type = a.type();
  const bool logical = op == BinaryOp::kAnd || op == BinaryOp::kOr;
  const bool ordering_or_sum = !logical && op != BinaryOp::kEq && op != BinaryOp::kNe;
  if (logical != type.is_bool() && (logical || ordering_or_sum)) {
    throw UsageError(std::string("operator '") + binary_op_name(op) + "' does not take " + type.str() +
                     (logical ? ": compare first" : ": cast to a number first"));
  }
  if (op == BinaryOp::kMod && !type.is_int()) {
    throw UsageError("operator '%' does not take " + type.str() + ": it is for integers");
  }
  if (type.is_scalar()) {
    if (Expr folded = fold_binary(op, a, b); folded.defined()) return folded;
    if (Expr rest = drop_neutral(op, a, b); rest.defined()) return rest;
  }
  return make_binary(op, std::move(a), std::move(b));
}

namespace {

// Division as users write it, which may not be by the literal 0. apply() accepts that, because substitution may leave
// it in an operand that is not chosen.
Expr divide(BinaryOp op, const Expr& a, const Expr& b) {
  if (a.defined() && b.defined() && a.type().is_int() && is_const_int(b, 0)) {
    throw UsageError(std::string("operator '") + binary_op_name(op) + "' divides " + to_string(a) +
                     " by the literal 0: give another divisor");
  }
  return apply(op, a, b);
}

}  // namespace

Expr operator+(const Expr& a, const Expr& b) { return apply(BinaryOp::kAdd, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return apply(BinaryOp::kSub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return apply(BinaryOp::kMul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return divide(BinaryOp::kDiv, a, b); }
Expr operator%(const Expr& a, const Expr& b) { return divide(BinaryOp::kMod, a, b); }
Expr& operator+=(Expr& a, const Expr& b) { return a = a + b; }
Expr& operator-=(Expr& a, const Expr& b) { return a = a - b; }
Expr& operator*=(Expr& a, const Expr& b) { return a = a * b; }
Expr& operator/=(Expr& a, const Expr& b) { return a = a / b; }
Expr operator<(const Expr& a, const Expr& b) { return apply(BinaryOp::kLt, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return apply(BinaryOp::kLe, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return apply(BinaryOp::kGt, a, b); }
Expr operator>=(const Expr& a, const Expr& b) { return apply(BinaryOp::kGe, a, b); }
Expr operator==(const Expr& a, const Expr& b) { return apply(BinaryOp::kEq, a, b); }
Expr operator!=(const Expr& a, const Expr& b) { return apply(BinaryOp::kNe, a, b); }
Expr operator&&(const Expr& a, const Expr& b) { return apply(BinaryOp::kAnd, a, b); }
Expr operator||(const Expr& a, const Expr& b) { return apply(BinaryOp::kOr, a, b); }
Expr min(const Expr& a, const Expr& b) { return apply(BinaryOp::kMin, a, b); }
Expr max(const Expr& a, const Expr& b) { return apply(BinaryOp::kMax, a, b); }

Expr operator-(const Expr& a) {
  if (!a.defined()) throw UsageError("the operand of '-' is undefined");
  if (a.type().is_float()) return a * make_float(-1, a.type());  // not 0 - a, which loses the sign of zero
  return make_int(0, a.type()) - a;
}

Expr operator!(const Expr& a) {
  if (!a.defined() || !a.type().is_bool()) throw UsageError("operator '!' takes a bool: compare first");
  if (is_true(a)) return make_bool(false, a.lanes());
  if (is_false(a)) return make_bool(true, a.lanes());
  return make_not(a);
}

Expr select(const Expr& condition, const Expr& if_true, const Expr& if_false) {
  if (!condition.defined() || !condition.type().is_bool()) throw UsageError("select needs a bool condition");
  Expr a = if_true, b = if_false;
  make_agree(a, b, "select");
  const int lanes = condition.lanes();
  if (lanes != 1 && a.lanes() == 1) {
    a = make_broadcast(a, lanes);
    b = make_broadcast(b, lanes);
  }
  if (lanes != 1 && lanes != a.lanes()) throw UsageError("the condition of select has other lanes than its values");
  if (is_true(condition)) return a;
  if (is_false(condition)) return b;
  return make_select(condition, a, b);
}

Expr cast(Type type, const Expr& value) {
  if (!value.defined()) throw UsageError("a cast of an undefined expression");
  const Type to = type.with_lanes(value.lanes());
  if (value.type() == to) return value;
  if (to.is_scalar()) {
    if (Expr folded = fold_cast(to, value); folded.defined()) return folded;
  }
  return make_cast(to, value);
}

Expr likely(const Expr& condition) {
  if (!condition.defined() || !condition.type().is_bool()) throw UsageError("likely takes a bool: compare first");
  if (is_true(condition) || is_false(condition)) return condition;
  return make_call(Intrinsic::kLikely, {condition}, condition.type());
}

}  // namespace nestwright::ir
