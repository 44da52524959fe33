#include "reference/error_bounded_expr.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expression/body_size.h"
#include "ir/core/one_of.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"

namespace nestwright {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::Intrinsic;
using ir::OneOf;

/// The value of a number as float64.
Expr wide(const Expr& value) { return value.type() == kFloat64 ? value : ir::cast(kFloat64, value); }

Expr literal(double value) { return ir::make_float(value, kFloat64); }

Expr infinite() { return literal(std::numeric_limits<double>::infinity()); }

Expr largest(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  return b.defined() ? ir::max(a, b) : a;
}

Expr either(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  return b.defined() ? a || b : a;
}

/// `error` where it is defined, else 0.
Expr or_zero(const Expr& error) { return error.defined() ? error : literal(0); }

/// `error`, or infinity where it is not a number: a minimum is its second operand there. It stands once in the text.
Expr or_infinite(const Expr& error) { return ir::min(error, infinite()); }

/// Whether a number with this error may lie on the other side of a limit that is `distance` away. Without an error it
/// lies where it is, even on the limit: rounding always leaves an error (smallest_error), whole steps may leave none.
/// An error that is not a number may be of any size.
Expr may_pass(const Expr& distance, const Expr& error) {
  return !(error < ir::max(literal(std::numeric_limits<double>::denorm_min()), distance));
}

/// The error of an operation that any change of an operand may change as a whole.
Expr any_or_none(const Expr& error) { return ir::select(error <= literal(0), literal(0), infinite()); }

/// Whether the text of `a` is at least as long as that of `b`.
bool is_longer(const Expr& a, const Expr& b) { return body_operations({a}) >= body_operations({b}); }

/// A factor of a product: the expression itself, its absolute value and its error, which may be undefined.
struct Factor {
  const Expr& written;
  Expr size, error;
};

/// Undefined if both factors are exact. One of two errors stands in it once, the other twice: that of the longer factor
/// has to be the former, or bounds of chains double with each factor.
Expr error_of_product(const Factor& a, const Factor& b) {
  if (!a.error.defined()) return b.error.defined() ? a.size * b.error : Expr();
  if (!b.error.defined()) return b.size * a.error;
  return is_longer(a.written, b.written) ? a.error * (b.size + b.error) + a.size * b.error
                                         : (a.size + a.error) * b.error + b.size * a.error;
}

/// The largest errors of the functions of lower/support/vector_math.h and of devices' libraries, in units of
/// rounding_error().
double function_error(Intrinsic function) {
  switch (function) {
    case Intrinsic::kFma:
    case Intrinsic::kSqrt:
    case Intrinsic::kScale:
      return 1;
    case Intrinsic::kExp:
    case Intrinsic::kLog:
    case Intrinsic::kLog2:
    case Intrinsic::kRsqrt:
    case Intrinsic::kTanh:
    case Intrinsic::kSigmoid:
    case Intrinsic::kErf:
    case Intrinsic::kSin:
    case Intrinsic::kCos:
      return 4;
    case Intrinsic::kPow:
      return 16;
    case Intrinsic::kFloor:
    case Intrinsic::kCeil:
    case Intrinsic::kRound:
    case Intrinsic::kTrunc:
    case Intrinsic::kAbs:
    case Intrinsic::kBitAnd:
    case Intrinsic::kBitOr:
    case Intrinsic::kBitXor:
    case Intrinsic::kShiftLeft:
    case Intrinsic::kShiftRight:
    case Intrinsic::kLikely:
    case Intrinsic::kEstrin:
      return 0;
    case Intrinsic::kRoundTf32:
      return 0x1p12;  // 10 bits of 23, and one rounding
    case Intrinsic::kReinterpret:
    case Intrinsic::kJoinBytes:
    case Intrinsic::kJoinHalves:
    case Intrinsic::kDotU8S8:
    case Intrinsic::kDotS8S8:
    case Intrinsic::kDotS16:
    case Intrinsic::kDotBF16:
    case Intrinsic::kShuffleXor:
    case Intrinsic::kLoadBytes:
    case Intrinsic::kLoadHalves:
    case Intrinsic::kVpdpbusd:
    case Intrinsic::kVpdpwssd:
    case Intrinsic::kPmaddwd:
    case Intrinsic::kVdpbf16ps:
      break;
  }
  throw UsageError(std::string(ir::intrinsic_name(function)) + " has no error bound: compute without it");
}

/// A sum of more terms than this is judged without its partial sums.
constexpr int kShortSum = 16;

bool is_sum(BinaryOp op) { return op == BinaryOp::kAdd || op == BinaryOp::kSub; }

int count_terms(const Expr& e) {
  const auto* sum = e.as<ir::Binary>();
  return sum != nullptr && is_sum(sum->op) ? count_terms(sum->a) + count_terms(sum->b) : 1;
}

/// Whether a small change of an operand may change all bits of the result.
bool is_of_bits(Intrinsic function) {
  return function == Intrinsic::kBitAnd || function == Intrinsic::kBitOr || function == Intrinsic::kBitXor ||
         function == Intrinsic::kShiftLeft || function == Intrinsic::kShiftRight;
}

class ErrorBounds {
 public:
  enum class Place : std::uint8_t { kValue, kIndex, kOneValue };

  ErrorBounds(const ErrorBoundedLeaves& leaves, Rounding rounding, Place place)
      : leaves_(leaves), rounding_(rounding), place_(place) {}

  ErrorBoundedExpr run(const Expr& e) const {
    if (place_ == Place::kIndex && e.type().is_float() && !ir::reads_data(e)) return at(Place::kOneValue).run(e);
    return std::visit(ir::overloaded{
                          [&](const ir::IntImm&) { return ErrorBoundedExpr{e, {}}; },
                          [&](const ir::FloatImm& n) { return ErrorBoundedExpr{literal(n.value), {}}; },
                          [&](const ir::VarRef& n) {
                            const auto found = leaves_.variables.find(n.var);
                            return ErrorBoundedExpr{found == leaves_.variables.end() ? e : found->second, {}};
                          },
                          [&](const ir::Binary& n) { return binary(n, e.type()); },
                          [&](const ir::Not& n) {
                            const ErrorBoundedExpr a = run(n.a);
                            return ErrorBoundedExpr{!a.value, a.error};
                          },
                          [&](const ir::Select& n) { return select(n, e.type()); },
                          [&](const ir::Cast& n) { return cast(run(n.value), n.value.type(), e.type()); },
                          [&](const ir::Load& n) { return load(n); },
                          [&](const ir::Call& n) { return call(n, e.type()); },
                          [&](const ir::CallExtern& n) -> ErrorBoundedExpr {
                            throw UsageError(n.function + " has no error bound: compute without it");
                          },
                          [&](const OneOf<ir::Ramp, ir::Broadcast, ir::Reduce> auto&) -> ErrorBoundedExpr {
                            throw InternalError("a vector or a reduction inside of a body");
                          },
                      },
                      e.node().value);
  }

 private:
  ErrorBounds at(Place place) const { return {leaves_, rounding_, place}; }

  /// A result of `type` and the errors of its operands, which is rounded `roundings` times.
  ErrorBoundedExpr result(const Expr& value, const Expr& error, ir::Type type, double roundings) const {
    if (place_ != Place::kOneValue || roundings > 1) return {value, rounded(value, error, type, roundings)};
    // Rounding to double first changes no result of + - * / and sqrt on numbers of less than half its precision.
    const Expr one = type.is_float() && type != kFloat64 && roundings > 0 ? wide(ir::cast(type, value)) : value;
    return {one, error.defined() ? rounded(value, error, type, roundings) : Expr()};
  }

  /// `error`, and what rounding `value` to `type` adds, `roundings` times.
  Expr rounded(const Expr& value, const Expr& error, ir::Type type, double roundings = 1) const {
    const double eps = rounding_error(type, rounding_);
    if (eps == 0 || roundings == 0) return error;
    const Expr size = ir::abs(wide(value));
    const Expr own = size * literal(roundings * eps) + literal(smallest_error(type, rounding_));
    return add_errors(error, error_in_range(own, size, type, rounding_));
  }

  ErrorBoundedExpr load(const ir::Load& n) const {
    std::vector<Expr> indices;
    Expr may_be_another;
    const ErrorBounds of_index = place_ == Place::kValue ? at(Place::kIndex) : *this;
    for (const Expr& index : n.indices) {
      const ErrorBoundedExpr judged = of_index.run(index);
      if (!judged.is_exact()) may_be_another = either(may_be_another, judged.error > literal(0));
      indices.push_back(judged.value);
    }
    ErrorBoundedExpr element = leaves_.element(n.buffer, std::move(indices));
    if (!may_be_another.defined()) return element;
    element.error = element.value.type().is_bool() ? either(may_be_another, element.error)
                                                   : ir::select(may_be_another, infinite(), or_zero(element.error));
    return element;
  }

  ErrorBoundedExpr binary(const ir::Binary& n, ir::Type type) const {
    const bool is_short = place_ == Place::kOneValue || count_terms(n.a) + count_terms(n.b) <= kShortSum;
    if (is_sum(n.op) && type.is_float() && !is_short) {
      std::vector<Term> terms;
      const Expr value = add_terms(n, 1, terms);
      return {value, error_of_sum(terms, type)};
    }
    const ErrorBoundedExpr a = run(n.a), b = run(n.b);
    const Expr value = ir::apply(n.op, a.value, b.value);
    if (n.op == BinaryOp::kAnd || n.op == BinaryOp::kOr) return {value, either(a.error, b.error)};
    const bool is_exact = a.is_exact() && b.is_exact();
    if (ir::is_comparison(n.op)) {
      if (is_exact) return {value, {}};
      if (n.a.type().is_bool()) return {value, either(a.error, b.error)};
      return {value, may_pass(ir::abs(wide(a.value) - wide(b.value)), add_errors(a.error, b.error))};
    }
    if (n.op == BinaryOp::kMin || n.op == BinaryOp::kMax) return {value, error_of_order(n.op, value, a, b)};
    Expr operands = is_exact ? Expr() : carried(n, value, a, b);
    if (place_ == Place::kOneValue && is_sum(n.op)) {
      for (const auto& [written, factor] : {std::pair(&n.a, &a), std::pair(&n.b, &b)}) {
        if (is_product(*written)) operands = rounded(factor->value, operands, type);
      }
    }
    return result(value, operands, type, rounds(n) ? 1 : 0);
  }

  /// Whether a sum and this term may be contracted into one operation, which does not round the term.
  static bool is_product(const Expr& e) {
    const auto* const product = e.as<ir::Binary>();
    return product != nullptr && product->op == BinaryOp::kMul && e.type().is_float();
  }

  /// The error of a minimum or maximum. An integer with a limit moves only inside of the limit: an index that is
  /// clamped is exact beyond it.
  static Expr error_of_order(BinaryOp op, const Expr& value, const ErrorBoundedExpr& a, const ErrorBoundedExpr& b) {
    const bool is_limited = a.is_exact() != b.is_exact() && value.type().is_int();
    if (!is_limited) return largest(a.error, b.error);
    const ErrorBoundedExpr& moving = a.is_exact() ? b : a;
    const Expr limit = wide(a.is_exact() ? a.value : b.value), x = wide(moving.value);
    return ir::apply(op, x + moving.error, limit) - ir::apply(op, x - moving.error, limit);
  }

  /// A term of a sum, and how many additions it goes through, each of which rounds.
  struct Term {
    ErrorBoundedExpr judged;
    double additions;
  };

  /// Appends the terms of `n`, whose result goes through `additions - 1` more. Returns its value.
  Expr add_terms(const ir::Binary& n, double additions, std::vector<Term>& terms) const {
    const auto value_of = [&](const Expr& operand) {
      const auto* inner = operand.as<ir::Binary>();
      if (inner != nullptr && is_sum(inner->op)) return add_terms(*inner, additions + 1, terms);
      return terms.emplace_back(run(operand), additions).judged.value;
    };
    const Expr a = value_of(n.a);
    return ir::apply(n.op, a, value_of(n.b));
  }

  /// The error of a sum in the order that it is written in. It counts |term| and its error once for each addition that
  /// the term goes through, in place of the absolute value of each partial sum, whose text grows with the square of the
  /// terms.
  Expr error_of_sum(const std::vector<Term>& terms, ir::Type type) const {
    Expr error, rounding, size;
    for (const Term& term : terms) {
      const double additions = term.additions * rounding_error(type, rounding_);
      const Expr own = ir::abs(wide(term.judged.value));
      if (!term.judged.is_exact()) error = add_errors(error, term.judged.error * literal(1 + additions));
      rounding = add_errors(rounding, own * literal(additions));
      size = add_errors(size, own);
    }
    const double underflow = static_cast<double>(terms.size()) * smallest_error(type, rounding_);
    return add_errors(error, error_in_range(rounding + literal(underflow), size, type, rounding_));
  }

  /// Whether the operation rounds: x + 0, 0 - x and x * 1 do not.
  static bool rounds(const ir::Binary& n) {
    const auto is_number = [](const Expr& e, double value) {
      const auto* number = e.as<ir::FloatImm>();
      return number != nullptr && std::abs(number->value) == value;
    };
    const double neutral = is_sum(n.op) ? 0 : 1;
    const bool is_neutral = is_number(n.a, neutral) && n.op != BinaryOp::kDiv;
    return !is_neutral && !is_number(n.b, neutral);
  }

  /// What an operation makes of the errors of its operands, at least one of which has one.
  static Expr carried(const ir::Binary& n, const Expr& value, const ErrorBoundedExpr& a, const ErrorBoundedExpr& b) {
    const Expr x = ir::abs(wide(a.value)), y = ir::abs(wide(b.value));
    switch (n.op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
        return add_errors(a.error, b.error);
      case BinaryOp::kMul:
        return error_of_product({n.a, x, a.error}, {n.b, y, b.error});
      case BinaryOp::kDiv: {
        // Quotients of integers are cut off, so they move in whole steps.
        const bool is_whole = !value.type().is_float();
        const auto in_steps = [&](const Expr& error) { return is_whole ? ir::ceil(error) : error; };
        if (b.is_exact()) return in_steps(a.error / y);
        const Expr quotient = is_whole ? ir::abs(wide(value)) + literal(1) : ir::abs(wide(value));
        // How much 1 / b may grow, relatively: infinitely where b may be 0. The maximum is 0 where it is 0 / 0.
        const Expr growth = literal(1) / ir::max(y / b.error - literal(1), literal(0));
        const Expr error = a.is_exact() ? Expr() : a.error / y;
        return in_steps(or_infinite(error_of_product({n.a, quotient, error}, {n.b, literal(1), growth})));
      }
      case BinaryOp::kMod:
        return any_or_none(add_errors(a.error, b.error));
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
        break;
    }
    throw InternalError("no arithmetic operation");
  }

  ErrorBoundedExpr select(const ir::Select& n, ir::Type type) const {
    const ErrorBoundedExpr condition = run(n.condition), a = run(n.if_true), b = run(n.if_false);
    const Expr value = ir::select(condition.value, a.value, b.value);
    if (type.is_bool()) {
      const auto or_false = [](const Expr& error) { return error.defined() ? error : ir::make_bool(false); };
      Expr error;
      if (!a.is_exact() || !b.is_exact()) error = ir::select(condition.value, or_false(a.error), or_false(b.error));
      return {value, either(condition.error, error)};
    }
    if (condition.is_exact()) {
      Expr error;
      if (!a.is_exact() || !b.is_exact()) error = ir::select(condition.value, or_zero(a.error), or_zero(b.error));
      return {value, error};
    }
    const Expr distance = ir::abs(wide(a.value) - wide(b.value));
    // Either the error of the condition stands in the text once, or those of the operands do.
    if (is_longer(n.condition, n.if_true) && is_longer(n.condition, n.if_false)) {
      const Expr other = distance + or_zero(largest(a.error, b.error));
      return {value,
              ir::select(condition.error, other, ir::select(condition.value, or_zero(a.error), or_zero(b.error)))};
    }
    const auto where = [](const Expr& holds, const Expr& error) { return ir::select(holds, error, literal(0)); };
    Expr error = where(condition.error, distance);
    if (!a.is_exact()) error = error + where(condition.error || condition.value, a.error);
    if (!b.is_exact()) error = error + where(condition.error || !condition.value, b.error);
    return {value, error};
  }

  ErrorBoundedExpr cast(const ErrorBoundedExpr& from, ir::Type source, ir::Type type) const {
    const Expr value = ir::cast(in_double(type), from.value);
    if (type.is_bool()) {
      if (from.is_exact() || source.is_bool()) return {value, from.error};
      return {value, may_pass(ir::abs(wide(from.value)), from.error)};
    }
    if (source.is_bool()) {
      return {value, from.is_exact() ? Expr() : ir::select(from.error, literal(1), literal(0))};
    }
    if (type.is_float()) {
      const bool is_widened = source.is_float() && source.bits <= type.bits && (source.bits == 32 || source == type);
      const bool is_whole_and_fits = source.is_int() && source.bits < (type.bits == 64 ? 54 : type.bits == 32 ? 25 : 9);
      const bool from_half = source.is_narrow_float() && type.bits >= 32;
      if (is_widened || is_whole_and_fits || from_half) return {value, from.error};
      return result(value, from.error, type, 1);
    }
    if (from.is_exact()) return {value, {}};
    // To an integer: truncation is monotonic.
    const auto end = [&](const Expr& x) { return wide(ir::cast(type, x)); };
    const Expr x = wide(from.value), error = or_infinite(from.error);
    return {value, ir::abs(end(x + error) - end(x - error))};
  }

  ErrorBoundedExpr call(const ir::Call& n, ir::Type type) const {
    std::vector<ErrorBoundedExpr> arguments;
    std::vector<Expr> values;
    for (const Expr& argument : n.args) {
      arguments.push_back(run(argument));
      values.push_back(arguments.back().value);
    }
    const double roundings = function_error(n.intrinsic);
    if (ir::is_hint(n.intrinsic)) return arguments[0];
    if (n.intrinsic == Intrinsic::kRoundTf32) {
      return {values[0], rounded(values[0], arguments[0].error, kFloat32, roundings)};
    }
    const Expr value = ir::make_call(n.intrinsic, values, in_double(type));
    if (n.intrinsic == Intrinsic::kFma) return {value, rounded(value, carried(n, value, arguments), type)};
    return result(value, carried(n, value, arguments), type, roundings);
  }

  static Expr carried(const ir::Call& n, const Expr& value, const std::vector<ErrorBoundedExpr>& arguments) {
    const Intrinsic function = n.intrinsic;
    const bool is_exact =
        std::all_of(arguments.begin(), arguments.end(), [](const ErrorBoundedExpr& a) { return a.is_exact(); });
    if (is_exact) return {};
    const ErrorBoundedExpr& a = arguments[0];
    if (function == Intrinsic::kAbs || function == Intrinsic::kSin || function == Intrinsic::kCos) return a.error;
    if (is_of_bits(function)) return any_or_none(add_errors(a.error, arguments[1].error));
    if (function == Intrinsic::kFma) {
      const auto factor = [&](std::size_t i) {
        return Factor{n.args[i], ir::abs(wide(arguments[i].value)), arguments[i].error};
      };
      return add_errors(error_of_product(factor(0), factor(1)), arguments[2].error);
    }
    // Monotonic in each argument, at least on one side of 0: the largest difference at the corners.
    Expr error;
    const std::size_t corners = std::size_t{1} << arguments.size();
    for (std::size_t corner = 0; corner < corners; ++corner) {
      std::vector<Expr> at;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ErrorBoundedExpr& x = arguments[i];
        const bool is_high = (corner >> i & 1) != 0;
        at.push_back(x.is_exact() ? x.value : is_high ? x.value + x.error : x.value - x.error);
      }
      const Expr difference = ir::abs(ir::make_call(function, at, value.type()) - value);
      error = largest(error, or_infinite(difference));
    }
    return error;
  }

  const ErrorBoundedLeaves& leaves_;
  Rounding rounding_;
  Place place_;
};

}  // namespace

ir::Type in_double(ir::Type type) { return type.is_float() ? kFloat64 : type; }

double rounding_error(ir::Type type, Rounding rounding) {
  if (!type.is_float()) return 0;
  if (rounding == Rounding::kDouble || type.bits == 64) return std::numeric_limits<double>::epsilon();
  if (type == kBFloat16) return 0x1p-7;
  return type == kFloat16 ? 0x1p-10 : 0x1p-23;
}

double smallest_error(ir::Type type, Rounding rounding) {
  if (!type.is_float()) return 0;
  if (rounding == Rounding::kDouble || type.bits == 64) return std::numeric_limits<double>::denorm_min();
  if (type == kBFloat16) return 0x1p-133;
  return type == kFloat16 ? 0x1p-24 : 0x1p-126;
}

ir::Expr error_in_range(const ir::Expr& error, const ir::Expr& size, ir::Type type, Rounding rounding) {
  const double largest = largest_value(type);
  if (rounding != Rounding::kWrittenInRange || std::isinf(largest)) return error;
  return ir::select(size <= literal(largest), error, infinite());
}

double largest_value(ir::Type type) {
  if (!type.is_float() || type.bits == 64) return std::numeric_limits<double>::infinity();
  if (type == kFloat16) return 65504;
  return type == kBFloat16 ? 0x1.fep127 : static_cast<double>(std::numeric_limits<float>::max());
}

ir::Expr add_errors(const ir::Expr& a, const ir::Expr& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}

ErrorBoundedExpr with_error_bound(const ir::Expr& e, const ErrorBoundedLeaves& leaves, Rounding rounding,
                                  OneValue one_value) {
  const bool are_all = one_value == OneValue::kAll;
  return ErrorBounds(leaves, rounding, are_all ? ErrorBounds::Place::kOneValue : ErrorBounds::Place::kValue).run(e);
}

}  // namespace nestwright
