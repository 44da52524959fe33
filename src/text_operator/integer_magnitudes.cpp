#include "text_operator/integer_magnitudes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ir/core/one_of.h"
#include "nestwright/expr.h"
#include "reference/double_program.h"
#include "templates/checking/integers.h"

namespace nestwright {
namespace {

using ir::BinaryOp;
using ir::Intrinsic;
using ir::OneOf;

/// The magnitude of a value that is not an integer, or may be rounded.
constexpr double kInexact = std::numeric_limits<double>::infinity();

constexpr double kLargestDouble = std::numeric_limits<double>::max();

/// The largest absolute value of the type's integers that are all exact.
double largest_whole(ir::Type type) {
  if (type.is_bool()) return 1;
  return type.is_float() ? largest_exact(type)
                         : std::ldexp(1.0, type.code == ir::TypeCode::kUInt ? type.bits : type.bits - 1);
}

bool is_infinite(const Expr& e) {
  const auto* number = e.as<ir::FloatImm>();
  return number != nullptr && std::isinf(number->value);
}

/// The largest absolute values of the tensors of a definition.
class WholeMagnitudes {
 public:
  explicit WholeMagnitudes(int more_bits) : more_bits_(more_bits) {}

  void set(const Tensor& tensor, double magnitude) { tensors_[tensor.buffer()] = magnitude; }

  /// Sets those of the results. Returns whether they are exact.
  bool add(const Operation& op) {
    const ComputeOp& compute = *op.compute();
    double terms = 1;
    for (const IterVar& axis : compute.axes) set_index(axis);
    for (const IterVar& axis : compute.reduce_axes) terms *= set_index(axis);
    const ir::Reduce* const reduction = compute.reduction();
    const std::vector<Expr> values = compute.values();
    bool is_exact = true;
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      const double value = of(values[r]);
      const double result = reduction == nullptr ? value : reduced(reduction->reducer, value, terms);
      const bool has_room =
          reduction == nullptr || fitted(std::ldexp(result, more_bits_), values[r].type()) != kInexact;
      const double magnitude = has_room ? fitted(result, values[r].type()) : kInexact;
      tensors_[op->results[r]] = magnitude;
      is_exact = is_exact && magnitude != kInexact;
    }
    return is_exact;
  }

 private:
  double set_index(const IterVar& axis) {
    const auto extent = static_cast<double>(*ir::as_const_int(axis.extent()));
    indices_[axis.var()] = extent;
    return extent;
  }

  static double reduced(ir::ReducerKind kind, double value, double terms) {
    switch (kind) {
      case ir::ReducerKind::kSum:
        return terms * value;
      case ir::ReducerKind::kProd:
        return value == kInexact ? kInexact : std::min(std::pow(std::max(value, 1.0), terms), kLargestDouble);
      case ir::ReducerKind::kMin:
      case ir::ReducerKind::kMax:
      case ir::ReducerKind::kAny:
      case ir::ReducerKind::kAll:
      case ir::ReducerKind::kCustom:  // an argmax
        return value;
    }
    return kInexact;
  }

  /// Integers of integer types wrap around, exactly; those of floating-point types have to fit.
  static double fitted(double magnitude, ir::Type type) {
    const double largest = largest_whole(type);
    if (magnitude <= largest || magnitude == kInexact) return magnitude;
    return type.is_float() ? kInexact : largest;
  }

  double of(const Expr& e) const {
    const double magnitude = std::visit(
        ir::overloaded{
            [](const ir::IntImm& n) { return std::abs(static_cast<double>(n.value)); },
            [](const ir::FloatImm& n) { return std::trunc(n.value) == n.value ? std::abs(n.value) : kInexact; },
            [&](const ir::VarRef& n) {
              const auto index = indices_.find(n.var);
              return index == indices_.end() ? largest_whole(e.type()) : index->second;
            },
            [&](const ir::Load& n) { return tensors_.at(n.buffer); },
            [&](const ir::Binary& n) { return binary(n); },
            [&](const ir::Not& n) { return of(n.a) == kInexact ? kInexact : 1; },
            [&](const ir::Select& n) {
              return of(n.condition) == kInexact ? kInexact : std::max(or_infinite(n.if_true), or_infinite(n.if_false));
            },
            [&](const ir::Cast& n) {
              const double value = of(n.value);
              const bool may_wrap = n.value.type().is_int() && n.value.type().code != ir::TypeCode::kUInt &&
                                    e.type().code == ir::TypeCode::kUInt;
              return may_wrap && value != kInexact ? largest_whole(e.type()) : value;
            },
            [&](const ir::Call& n) { return call(n, e.type()); },
            [](const OneOf<ir::CallExtern, ir::Ramp, ir::Broadcast, ir::Reduce> auto&) { return kInexact; },
        },
        e.node().value);
    return fitted(magnitude, e.type());
  }

  /// An infinite literal that is selected, or compared with others, adds nothing to integers.
  double or_infinite(const Expr& e) const { return is_infinite(e) ? 0 : of(e); }

  double binary(const ir::Binary& n) const {
    const double a = or_infinite(n.a), b = or_infinite(n.b);
    if (a == kInexact || b == kInexact) return kInexact;
    const bool is_float = n.a.type().is_float();
    switch (n.op) {
      case BinaryOp::kSub:
        if (n.a.type().code == ir::TypeCode::kUInt) return largest_whole(n.a.type());  // a negative difference wraps
        [[fallthrough]];
      case BinaryOp::kAdd:
        return is_infinite(n.a) || is_infinite(n.b) ? kInexact : a + b;
      case BinaryOp::kMul:
        return is_infinite(n.a) || is_infinite(n.b) ? kInexact : a * b;
      case BinaryOp::kDiv:
      case BinaryOp::kMod:
        return is_float ? kInexact : std::max(a, b);
      case BinaryOp::kMin:
      case BinaryOp::kMax:
        return std::max(a, b);
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kGt:
      case BinaryOp::kGe:
      case BinaryOp::kAnd:
      case BinaryOp::kOr:
        return 1;
    }
    return kInexact;
  }

  double call(const ir::Call& n, ir::Type type) const {
    double largest = 0;
    for (const Expr& argument : n.args) largest = std::max(largest, of(argument));
    if (largest == kInexact) return kInexact;
    if (n.intrinsic == Intrinsic::kFma) return fitted(of(n.args[0]) * of(n.args[1]), type) + of(n.args[2]);
    if (type.is_int()) return largest_whole(type);
    const bool keeps = n.intrinsic == Intrinsic::kAbs || n.intrinsic == Intrinsic::kFloor ||
                       n.intrinsic == Intrinsic::kCeil || n.intrinsic == Intrinsic::kRound ||
                       n.intrinsic == Intrinsic::kTrunc || n.intrinsic == Intrinsic::kLikely;
    return keeps ? largest : kInexact;
  }

  int more_bits_;
  std::map<Buffer, double> tensors_;
  std::map<ir::Var, double> indices_;
};

}  // namespace

bool is_exact_on_integers(const Definition& definition, std::span<const double> largest, int more_bits) {
  WholeMagnitudes magnitudes(more_bits);
  for (std::size_t i = 0; i < largest.size(); ++i) magnitudes.set(definition.args[i], largest[i]);
  const std::vector<Operation> operations = computes_of(std::span(definition.args).subspan(largest.size()));
  return std::all_of(operations.begin(), operations.end(), [&](const Operation& op) { return magnitudes.add(op); });
}

}  // namespace nestwright
