// Writes the IR's operators on integers, bools and floats.
#include <fmt/format.h>

#include "codegen/source/expression.h"
#include "ir/analysis/interval.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

using namespace ir;

Precedence precedence_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return Precedence::kSum;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
      return Precedence::kProduct;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      return Precedence::kEquality;
    case BinaryOp::kAnd:
      return Precedence::kAnd;
    case BinaryOp::kOr:
      return Precedence::kOr;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      break;
  }
  return Precedence::kRelation;
}

/// The range of a op b without wrapping around.
Interval exact_result(BinaryOp op, Interval a, Interval b) {
  if (op == BinaryOp::kMul) return mul(a, b);
  return op == BinaryOp::kAdd ? add(a, b) : add(a, scale(b, -1));
}

bool fits_32(Interval interval) { return within(interval, type_range(kInt32)); }

}  // namespace

Text ExpressionWriter::apply(BinaryOp op, const Text& a, const Text& b, bool wide) const {
  const Precedence precedence = precedence_of(op);
  const bool tight = precedence == Precedence::kProduct, compares = is_comparison(op);
  // Comparisons do not chain; other operators are left-associative.
  const Precedence left = compares ? Precedence::kSum : precedence;
  const Precedence right = compares                                      ? Precedence::kSum
                           : op == BinaryOp::kAnd || op == BinaryOp::kOr ? precedence
                                                                         : next_higher(precedence);
  return {fmt::format("{}{}{}{}{}", a.in(left), tight ? "" : " ", binary_op_name(op), tight ? "" : " ", b.in(right)),
          precedence, wide};
}

Text ExpressionWriter::binary(const Binary& n, const Expr& e) {
  const Type type = n.a.type();
  if (is_comparison(n.op) || n.op == BinaryOp::kAnd || n.op == BinaryOp::kOr) return compare(n);
  if (n.op == BinaryOp::kMin || n.op == BinaryOp::kMax) return min_or_max(n, type);
  if (type.is_float()) return apply(n.op, value(n.a), value(n.b));
  if (type.is_bool()) throw InternalError("internal error: arithmetic on bools");
  return n.op == BinaryOp::kDiv || n.op == BinaryOp::kMod ? quotient(n, e) : sum_or_product(n, e);
}

Text ExpressionWriter::compare(const Binary& n) { return apply(n.op, value(n.a), value(n.b)); }

Text ExpressionWriter::min_or_max(const Binary& n, Type type) {
  const Text a = value(n.a), b = value(n.b);
  Type in = type;
  if (type.is_float()) in = type == kFloat64 ? kFloat64 : kFloat32;
  if (type.is_bool() || (type.is_int() && type.bits < 32)) in = kInt32;
  if (type == kInt64 && !a.wide && !b.wide) in = kInt32;
  const std::string function = n.op == BinaryOp::kMin ? prelude_.min(in) : prelude_.max(in);
  return {fmt::format("{}({}, {})", function, a.text, b.text), Precedence::kAtom, in.bits == 64};
}

Text ExpressionWriter::sum_or_product(const Binary& n, const Expr& e) {
  const Type type = e.type();
  const Interval exact = exact_result(n.op, bounds(n.a, ranges_), bounds(n.b, ranges_));
  if (type == kInt64) return wide_sum_or_product(n, e, exact);
  const Text a = value(n.a), b = value(n.b);
  if (type.code == TypeCode::kUInt && type.bits >= 32) return apply(n.op, a, b, type.bits == 64);
  if (exact.bounded() && within(exact, type_range(type))) return apply(n.op, a, b);
  // Signed overflow is undefined in C.
  if (exact.bounded() && fits_32(exact)) return converted(apply(n.op, a, b), type);
  return converted(apply(n.op, converted(a, kUInt32), converted(b, kUInt32)), type);
}

Text ExpressionWriter::wide_sum_or_product(const Binary& n, const Expr& e, Interval exact) {
  const Text a = value(n.a), b = value(n.b);
  if (exact.bounded() && fits_32(exact) && !a.wide && !b.wide) return apply(n.op, a, b);
  if (!exact.bounded() && depends_on_data(e)) {
    const Type bits = unsigned_of(kInt64);
    return converted(apply(n.op, converted(a, bits), converted(b, bits)), kInt64);
  }
  return apply(n.op, a.wide || b.wide ? a : converted(a, kInt64), b, true);
}

Text ExpressionWriter::quotient(const Binary& n, const Expr& e) {
  const Type type = e.type();
  const Text a = value(n.a), b = value(n.b);
  const bool is_div = n.op == BinaryOp::kDiv, wide = type.bits == 64 && (a.wide || b.wide);
  const std::int64_t* divisor = as_const_int(n.b);
  const bool is_unsigned = type.code == TypeCode::kUInt;
  // A divisor may be 0 if the quotient is not used.
  const bool divides = divisor != nullptr ? *divisor != 0 : !is_unsigned && bounds(n.b, ranges_).lo > 0;
  if (divides && (is_unsigned || (bounds(n.a, ranges_).lo >= 0 && bounds(n.b, ranges_).lo > 0))) {
    return apply(n.op, a, b, wide);
  }
  const auto function = [&](Type in) {
    if (is_unsigned) return is_div ? prelude_.div(in) : prelude_.mod(in);
    return is_div ? prelude_.floor_div(in) : prelude_.floor_mod(in);
  };
  Type in = type.bits == 64 ? type : Type{type.code, 32, 1};
  // Only the lowest integer divided by -1 leaves the range.
  if (type == kInt64 && !wide && fits_32(bounds(e, ranges_))) in = kInt32;
  const Text result{fmt::format("{}({}, {})", function(in), a.text, b.text), Precedence::kAtom, in.bits == 64};
  return type.bits < 32 ? converted(result, type) : result;
}

}  // namespace nestwright::codegen
