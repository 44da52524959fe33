#include "text/analysis/interval.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include "text/syntax/functions.h"
#include "text/syntax/infix.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;
using ir::Interval;
using Bounds = std::optional<Interval>;

// So small that sums and products of two fit into 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

Bounds checked(Interval values) {
  return ir::within(values, {-kLargest, kLargest}) ? std::optional(values) : std::nullopt;
}

/// The integers around a number.
Bounds around(double value) {
  if (!(std::abs(value) <= kLargest)) return std::nullopt;
  return Interval{static_cast<std::int64_t>(std::floor(value)), static_cast<std::int64_t>(std::ceil(value))};
}

/// The values of an index.
Bounds below(std::int64_t extent) { return checked({0, extent - 1}); }

Interval negative(Interval a) { return ir::scale(a, -1); }

/// The integers between which a / b lies, rounded down and up.
Interval quotient_of_floats(Interval a, Interval b) {
  return ir::unite(ir::div(a, b), negative(ir::div(negative(a), b)));
}

Bounds of_binary(BinaryOp op, Interval a, Interval b, bool is_of_floats) {
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kMod;
  if (divides && b.lo < 1) return std::nullopt;
  switch (op) {
    case BinaryOp::kAdd:
      return checked(ir::add(a, b));
    case BinaryOp::kSub:
      return checked(ir::add(a, negative(b)));
    case BinaryOp::kMul:
      return checked(ir::mul(a, b));
    case BinaryOp::kDiv:
      return checked(is_of_floats ? quotient_of_floats(a, b) : ir::div(a, b));
    case BinaryOp::kMod:
      return checked(ir::mod(a, b));
    case BinaryOp::kMin:
      return ir::min(a, b);
    case BinaryOp::kMax:
      return ir::max(a, b);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The number of bits of a shift, if it is a literal by which an interval may be shifted.
std::optional<int> shift_of(const Term& term) {
  constexpr std::int64_t kMaxShift = 31;
  const auto* literal = std::get_if<Integer>(&term.value);
  if (literal == nullptr || literal->value < 0 || literal->value > kMaxShift) return std::nullopt;
  return static_cast<int>(literal->value);
}

/// The interval of an operation on bits that has a known range: x & 7, and shifts by literals.
Bounds of_bits(const FunctionCall& call, const Bounds& a) {
  if (call.name == "&") {
    const auto* mask = std::get_if<Integer>(&call.arguments[1].value);
    if (mask == nullptr || mask->value < 1 || mask->value >= kLargest || (mask->value & (mask->value + 1)) != 0) {
      return std::nullopt;
    }
    const std::int64_t modulus = mask->value + 1;
    return a ? ir::mod(*a, {modulus, modulus}) : Interval{0, mask->value};
  }
  const std::optional<int> shift = shift_of(call.arguments[1]);
  if (!a || !shift || (call.name != "<<" && call.name != ">>")) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << *shift;
  return of_binary(call.name == "<<" ? BinaryOp::kMul : BinaryOp::kDiv, *a, {factor, factor}, false);
}

bool is_real(const Term& term) { return std::holds_alternative<Real>(term.value); }

/// The type of the terms, which have the same one, apart from literals; nullopt where all are literals.
std::optional<ir::Type> type_of_any(std::span<const Term> terms, const Leaves& leaves) {
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {  // sums are deep at the left
    if (const std::optional<ir::Type> type = type_of(*term, leaves)) return type;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ir::Type> type_of(const Term& term, const Leaves& leaves) {
  if (std::holds_alternative<IndexValue>(term.value)) return kIndex;
  if (const auto* access = std::get_if<Access>(&term.value)) return leaves.type(*access);
  if (const auto* negation = std::get_if<Negation>(&term.value)) return type_of(negation->operand[0], leaves);
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return type_of_any(binary->operands, leaves);
  const auto* call = std::get_if<FunctionCall>(&term.value);
  if (call == nullptr) return std::nullopt;
  if (const std::optional<ir::Type> type = find_type(call->name)) return type;
  const std::span<const Term> arguments(call->arguments);
  const std::span<const Term> values = call->name == "select" ? arguments.subspan(1) : arguments;
  if (const std::optional<ir::Type> type = type_of_any(values, leaves)) return type;
  return std::any_of(values.begin(), values.end(), is_real) ? kFloat32 : kInt64;
}

namespace {

/// Whether a call converts a floating-point number to an integer.
bool is_rounding(const FunctionCall& call, const Leaves& leaves) {
  const std::optional<ir::Type> to = find_type(call.name);
  if (!to || !to->is_int()) return false;
  const std::optional<ir::Type> from = type_of(call.arguments[0], leaves);
  return from ? from->is_float() : is_real(call.arguments[0]);
}

Bounds of_call(const FunctionCall& call, const Leaves& leaves) {
  const auto argument = [&](std::size_t i) { return interval_of(call.arguments[i], leaves); };
  if (find_infix(call.name) != nullptr) return of_bits(call, argument(0));
  if (call.name == "min" || call.name == "max") {
    const Bounds a = argument(0), b = argument(1);
    const bool is_min = call.name == "min";
    if (!a || !b) return std::nullopt;
    return is_min ? ir::min(*a, *b) : ir::max(*a, *b);
  }
  if (call.name == "clamp") {
    const Bounds low = argument(1), high = argument(2);
    if (!low || !high) return std::nullopt;
    return Interval{std::min(low->lo, high->lo), high->hi};
  }
  if (call.name == "select") {
    const Bounds a = argument(1), b = argument(2);
    if (!a || !b) return std::nullopt;
    return ir::unite(*a, *b);
  }
  constexpr std::string_view kToWhole[] = {"floor", "ceil", "round", "trunc"};
  if (std::find(std::begin(kToWhole), std::end(kToWhole), call.name) != std::end(kToWhole)) return argument(0);
  if (!leaves.trusts_conversions && is_rounding(call, leaves)) return std::nullopt;
  const std::optional<ir::Type> type = find_type(call.name);
  return type && type->is_int() ? argument(0) : std::nullopt;  // where it fits into the type
}

/// a + factor * b; nullopt if it overflows.
std::optional<Linear> sum_of(Linear a, const Linear& b, std::int64_t factor) {
  const auto add = [&](std::int64_t& to, std::int64_t value) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(value, factor, &product) && !__builtin_add_overflow(to, product, &to);
  };
  if (!add(a.constant, b.constant)) return std::nullopt;
  for (const auto& [index, coefficient] : b.coefficients) {
    if (!add(a.coefficients[index], coefficient)) return std::nullopt;
  }
  std::erase_if(a.coefficients, [](const auto& entry) { return entry.second == 0; });
  return a;
}

/// The value as it is before it wraps around.
Bounds unwrapped(const Term& term, const Leaves& leaves) {
  if (const auto* integer = std::get_if<Integer>(&term.value)) return checked({integer->value, integer->value});
  if (const auto* real = std::get_if<Real>(&term.value)) return around(real->value);
  if (const auto* index = std::get_if<IndexValue>(&term.value)) {
    const std::optional<std::int64_t> extent = leaves.extent(index->name);
    return extent ? below(*extent) : std::nullopt;
  }
  if (const auto* access = std::get_if<Access>(&term.value)) return leaves.element(*access);
  if (const auto* negation = std::get_if<Negation>(&term.value)) {
    const Bounds a = interval_of(negation->operand[0], leaves);
    return a ? checked(negative(*a)) : std::nullopt;
  }
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) {
    const Bounds a = interval_of(binary->operands[0], leaves), b = interval_of(binary->operands[1], leaves);
    if (!a || !b) return std::nullopt;
    const std::optional<ir::Type> type = type_of(term, leaves);
    return of_binary(binary->op, *a, *b, type && type->is_float());
  }
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) return of_call(*call, leaves);
  return std::nullopt;
}

/// The values of a computed tensor, if that is an argmax.
Bounds of_argmax(const Program& program, const TensorInfo& tensor) {
  for (const Stage& stage : program.stages) {
    if (&program.tensors[stage.tensor] != &tensor || stage.reduction != ReductionKind::kArgmax) continue;
    const std::int64_t extent = stage.reduce_axes.front().extent;
    return extent == 0 ? std::nullopt : below(extent);
  }
  return std::nullopt;
}

}  // namespace

Leaves leaves_of(const Program& program, const Stage& stage) {
  return {[&stage](const std::string& name) -> std::optional<std::int64_t> {
            const Axis* const axis = stage.find_axis(name);
            return axis != nullptr && axis->extent != 0 ? std::optional(axis->extent) : std::nullopt;
          },
          [&program](const Access& access) -> std::optional<Interval> {
            const TensorInfo& tensor = *program.find_tensor(access.tensor);
            if (!tensor.is_input && !access.padding) return of_argmax(program, tensor);
            if (!tensor.range || !tensor.type.is_int() || access.padding) return std::nullopt;
            const double low = std::ceil(tensor.range->low), high = std::floor(tensor.range->high);
            if (std::abs(low) >= kLargest || std::abs(high) >= kLargest) return std::nullopt;
            return Interval{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
          },
          [&program](const Access& access) { return program.find_tensor(access.tensor)->type; },
          /*trusts_conversions=*/true};
}

std::optional<Interval> interval_of(const Term& term, const Leaves& leaves) {
  const Bounds values = unwrapped(term, leaves);
  if (!values) return std::nullopt;
  const std::optional<ir::Type> type = type_of(term, leaves);
  const bool may_wrap_around = type && !ir::within(*values, ir::type_range(*type));
  return may_wrap_around ? std::nullopt : values;
}

std::optional<TypeOverflow> find_type_overflow(const Term& term, const Leaves& leaves) {
  if (interval_of(term, leaves)) return std::nullopt;
  if (const Bounds values = unwrapped(term, leaves)) return TypeOverflow{&term, *values, *type_of(term, leaves)};
  const auto find = [&](const std::vector<Term>& operands) {
    std::optional<TypeOverflow> found;
    for (const Term& operand : operands) found = found ? found : find_type_overflow(operand, leaves);
    return found;
  };
  if (const auto* negation = std::get_if<Negation>(&term.value)) return find(negation->operand);
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return find(binary->operands);
  const auto* call = std::get_if<FunctionCall>(&term.value);
  return call == nullptr ? std::nullopt : find(call->arguments);
}

bool converts_float(const Term& term, const Leaves& leaves) {
  const auto any = [&](const std::vector<Term>& terms) {
    return std::any_of(terms.begin(), terms.end(), [&](const Term& part) { return converts_float(part, leaves); });
  };
  if (const auto* negation = std::get_if<Negation>(&term.value)) return any(negation->operand);
  if (const auto* complement = std::get_if<Complement>(&term.value)) return any(complement->operand);
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return any(binary->operands);
  const auto* call = std::get_if<FunctionCall>(&term.value);
  return call != nullptr && (is_rounding(*call, leaves) || any(call->arguments));
}

std::optional<Linear> linear_of(const Term& term) {
  if (const auto* integer = std::get_if<Integer>(&term.value)) return Linear{integer->value, {}};
  if (const auto* index = std::get_if<IndexValue>(&term.value)) return Linear{0, {{index->name, 1}}};
  if (const auto* negation = std::get_if<Negation>(&term.value)) {
    const std::optional<Linear> a = linear_of(negation->operand[0]);
    return a ? sum_of({}, *a, -1) : std::nullopt;
  }
  if (const auto* call = std::get_if<FunctionCall>(&term.value); call != nullptr && call->name == "<<") {
    const std::optional<Linear> a = linear_of(call->arguments[0]);
    const std::optional<int> shift = shift_of(call->arguments[1]);
    return a && shift ? sum_of({}, *a, std::int64_t{1} << *shift) : std::nullopt;
  }
  const auto* binary = std::get_if<BinaryTerm>(&term.value);
  if (binary == nullptr) return std::nullopt;
  const std::optional<Linear> a = linear_of(binary->operands[0]), b = linear_of(binary->operands[1]);
  if (!a || !b) return std::nullopt;
  if (binary->op == BinaryOp::kAdd) return sum_of(*a, *b, 1);
  if (binary->op == BinaryOp::kSub) return sum_of(*a, *b, -1);
  if (binary->op != BinaryOp::kMul) return std::nullopt;
  if (a->coefficients.empty()) return sum_of({}, *b, a->constant);
  if (b->coefficients.empty()) return sum_of({}, *a, b->constant);
  return std::nullopt;
}

}  // namespace nestwright::text
