#include "ir/analysis/evaluate.h"

#include <algorithm>

#include "ir/core/scalar.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

class Evaluator {
 public:
  Evaluator(std::span<const Var> symbols, std::span<const std::int64_t> values) : symbols_(symbols), values_(values) {}

  std::int64_t operator()(const Expr& e) const {
    if (const auto* literal = e.as<IntImm>()) return literal->value;
    if (const auto* ref = e.as<VarRef>()) return value_of(ref->var);
    if (const auto* binary = e.as<Binary>()) return combine(e, *binary);
    if (const auto* negation = e.as<Not>()) return (*this)(negation->a) == 0 ? 1 : 0;
    if (const auto* choice = e.as<Select>()) {
      return (*this)((*this)(choice->condition) != 0 ? choice->if_true : choice->if_false);
    }
    if (const auto* cast = e.as<Cast>(); cast != nullptr && is_integral(cast->value.type()) && is_integral(e.type())) {
      return apply_cast(cast->value.type(), e.type(), integer_scalar((*this)(cast->value))).i;
    }
    if (const auto* call = e.as<Call>(); call != nullptr && call->intrinsic == Intrinsic::kLikely) {
      return (*this)(call->args[0]);
    }
    throw InternalError("internal error: a size is made of " + to_string(e));
  }

 private:
  static bool is_integral(Type type) { return type.is_int() || type.is_bool(); }

  std::int64_t value_of(const Var& var) const {
    const auto found = std::find(symbols_.begin(), symbols_.end(), var);
    if (found == symbols_.end()) throw InternalError("internal error: " + var.name() + " is no symbol of the program");
    return values_[static_cast<std::size_t>(found - symbols_.begin())];
  }

  std::int64_t combine(const Expr& e, const Binary& binary) const {
    const Type type = binary.a.type();
    if (!is_integral(type)) throw InternalError("internal error: a size is made of " + to_string(e));
    const std::int64_t a = (*this)(binary.a), b = (*this)(binary.b);
    std::int64_t result = 0;
    bool overflow = false;
    // Index arithmetic must not wrap: a size would come out too small.
    if (type == Type{kIndex} && binary.op == BinaryOp::kAdd) {
      overflow = __builtin_add_overflow(a, b, &result);
    } else if (type == Type{kIndex} && binary.op == BinaryOp::kSub) {
      overflow = __builtin_sub_overflow(a, b, &result);
    } else if (type == Type{kIndex} && binary.op == BinaryOp::kMul) {
      overflow = __builtin_mul_overflow(a, b, &result);
    } else if ((binary.op == BinaryOp::kDiv || binary.op == BinaryOp::kMod) && b == 0) {
      throw UsageError("the size " + to_string(e) + " divides by 0: use other extents");
    } else {
      result = apply_binary(binary.op, type, integer_scalar(a), integer_scalar(b)).i;
    }
    if (overflow) throw UsageError("the size " + to_string(e) + " exceeds 64 bits: use smaller extents");
    return result;
  }

  std::span<const Var> symbols_;
  std::span<const std::int64_t> values_;
};

}  // namespace

std::int64_t evaluate(const Expr& e, std::span<const Var> symbols, std::span<const std::int64_t> values) {
  check(symbols.size() == values.size(), "as many values as symbols are needed");
  return Evaluator(symbols, values)(e);
}

}  // namespace nestwright::ir
