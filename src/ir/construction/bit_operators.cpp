// The operators on the bits of integers.
#include <bit>
#include <limits>

#include "ir/core/scalar.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"

namespace nestwright::ir {
namespace {

/// The exponent of a power of two that is a value of int64; -1 for any other number.
int exponent_of(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0 ? std::countr_zero(static_cast<std::uint64_t>(value)) : -1;
}

/// The arithmetic that has the same value, for indices; undefined where there is none.
Expr as_arithmetic(Intrinsic how, const Expr& a, const Expr& b) {
  const std::int64_t* constant = as_const_int(b);
  if (constant == nullptr || a.type() != kIndex) return {};
  constexpr std::int64_t kMaxShift = 62;
  if (how == Intrinsic::kBitAnd && *constant > 0 && *constant < std::numeric_limits<std::int64_t>::max() &&
      exponent_of(*constant + 1) > 0) {
    return a % (*constant + 1);
  }
  if (*constant < 0 || *constant > kMaxShift) return {};
  if (how == Intrinsic::kShiftLeft) return a * (std::int64_t{1} << *constant);
  return how == Intrinsic::kShiftRight ? a / (std::int64_t{1} << *constant) : Expr();
}

Expr of_integers(Intrinsic how, const char* op, const Expr& left, const Expr& right) {
  Expr a = left, b = right;
  make_agree(a, b, op);
  const Type type = a.type();
  if (!type.is_int()) {
    throw UsageError(std::string("operator '") + op + "' does not take " + type.str() +
                     ": cast it to an integer first");
  }
  const std::int64_t *x = as_const_int(a), *y = as_const_int(b);
  if (x != nullptr && y != nullptr) {
    const Scalar args[] = {integer_scalar(*x), integer_scalar(*y)};
    return make_int(apply_intrinsic(how, type, args).i, type);
  }
  if (Expr same = as_arithmetic(how, a, b); same.defined()) return same;
  return make_call(how, {std::move(a), std::move(b)}, type);
}

bool are_bools(const Expr& a, const Expr& b) {
  return a.defined() && b.defined() && a.type().is_bool() && b.type().is_bool();
}

}  // namespace

Expr operator&(const Expr& a, const Expr& b) {
  return are_bools(a, b) ? a && b : of_integers(Intrinsic::kBitAnd, "&", a, b);
}
Expr operator|(const Expr& a, const Expr& b) {
  return are_bools(a, b) ? a || b : of_integers(Intrinsic::kBitOr, "|", a, b);
}
Expr operator^(const Expr& a, const Expr& b) {
  return are_bools(a, b) ? a != b : of_integers(Intrinsic::kBitXor, "^", a, b);
}
Expr operator<<(const Expr& a, const Expr& b) { return of_integers(Intrinsic::kShiftLeft, "<<", a, b); }
Expr operator>>(const Expr& a, const Expr& b) { return of_integers(Intrinsic::kShiftRight, ">>", a, b); }

}  // namespace nestwright::ir
