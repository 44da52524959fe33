#include "text/interval.h"

#include <algorithm>

#include "ir/analysis/interval.h"
#include "text/functions.h"
#include "text/infix.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;
using Bounds = std::optional<IndexInterval>;

// So small that sums and products of two fit into 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

Bounds checked(std::int64_t low, std::int64_t high) {
  if (low < -kLargest || high > kLargest) return std::nullopt;
  return IndexInterval{low, high};
}

Bounds of_corners(const IndexInterval& a, const IndexInterval& b, std::int64_t (*f)(std::int64_t, std::int64_t)) {
  const std::int64_t corners[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  return checked(*std::min_element(std::begin(corners), std::end(corners)),
                 *std::max_element(std::begin(corners), std::end(corners)));
}

std::int64_t plus(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t minus(std::int64_t a, std::int64_t b) { return a - b; }
std::int64_t times(std::int64_t a, std::int64_t b) { return a * b; }
std::int64_t smaller(std::int64_t a, std::int64_t b) { return std::min(a, b); }
std::int64_t larger(std::int64_t a, std::int64_t b) { return std::max(a, b); }

Bounds modulo(const IndexInterval& a, const IndexInterval& b) {
  if (b.low < 1) return std::nullopt;
  if (a.low >= 0 && a.high < b.low) return a;
  return checked(0, b.high - 1);
}

/// The whole numbers between which a / b lies.
Bounds quotient_of_floats(const IndexInterval& a, const IndexInterval& b) {
  if (b.low < 1) return std::nullopt;
  const Bounds down = of_corners(a, b, ir::floor_div);
  const Bounds up = of_corners(a, b, [](std::int64_t x, std::int64_t y) { return -ir::floor_div(-x, y); });
  return down && up ? checked(down->low, up->high) : std::nullopt;
}

Bounds of_binary(BinaryOp op, const IndexInterval& a, const IndexInterval& b) {
  switch (op) {
    case BinaryOp::kAdd:
      return of_corners(a, b, plus);
    case BinaryOp::kSub:
      return of_corners(a, b, minus);
    case BinaryOp::kMul:
      return of_corners(a, b, times);
    case BinaryOp::kDiv:
      return b.low < 1 ? std::nullopt : of_corners(a, b, ir::floor_div);
    case BinaryOp::kMod:
      return modulo(a, b);
    case BinaryOp::kMin:
      return of_corners(a, b, smaller);
    case BinaryOp::kMax:
      return of_corners(a, b, larger);
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
    return a ? modulo(*a, {modulus, modulus}) : checked(0, mask->value);
  }
  const std::optional<int> shift = shift_of(call.arguments[1]);
  if (!a || !shift || (call.name != "<<" && call.name != ">>")) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << *shift;
  return of_corners(*a, {factor, factor}, call.name == "<<" ? times : ir::floor_div);
}

/// The type that a term is computed in; nullopt for a literal, which takes the type of the other operand.
std::optional<ir::Type> type_of(const Term& term, const Leaves& leaves) {
  if (std::holds_alternative<IndexValue>(term.value)) return kIndex;
  if (const auto* access = std::get_if<Access>(&term.value)) return leaves.type(*access);
  const std::vector<Term>* operands = nullptr;
  if (const auto* negation = std::get_if<Negation>(&term.value)) operands = &negation->operand;
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) operands = &binary->operands;
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) {
    if (const std::optional<ir::Type> type = find_type(call->name)) return type;
    operands = &call->arguments;
  }
  if (operands == nullptr) return std::nullopt;
  // The condition of a select is the first of three.
  for (auto operand = operands->rbegin(); operand != operands->rend(); ++operand) {
    if (const std::optional<ir::Type> type = type_of(*operand, leaves)) return type;
  }
  return std::nullopt;
}

/// Whether a call converts a floating-point number to an integer.
bool is_rounding(const FunctionCall& call, const Leaves& leaves) {
  const std::optional<ir::Type> to = find_type(call.name);
  if (!to || !to->is_int()) return false;
  const std::optional<ir::Type> from = type_of(call.arguments[0], leaves);
  return from && from->is_float();
}

Bounds of_call(const FunctionCall& call, const Leaves& leaves) {
  const auto argument = [&](std::size_t i) { return interval_of(call.arguments[i], leaves); };
  if (find_infix(call.name) != nullptr) return of_bits(call, argument(0));
  if (call.name == "min" || call.name == "max") {
    const Bounds a = argument(0), b = argument(1);
    const bool is_min = call.name == "min";
    if (a && b) return of_binary(is_min ? BinaryOp::kMin : BinaryOp::kMax, *a, *b);
    return std::nullopt;
  }
  if (call.name == "clamp") {
    const Bounds low = argument(1), high = argument(2);
    if (!low || !high) return std::nullopt;
    return IndexInterval{std::min(low->low, high->low), high->high};
  }
  if (call.name == "select") {
    const Bounds a = argument(1), b = argument(2);
    if (!a || !b) return std::nullopt;
    return IndexInterval{std::min(a->low, b->low), std::max(a->high, b->high)};
  }
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
  if (const auto* integer = std::get_if<Integer>(&term.value)) return checked(integer->value, integer->value);
  if (const auto* index = std::get_if<IndexValue>(&term.value)) {
    const std::optional<std::int64_t> extent = leaves.extent(index->name);
    return extent ? checked(0, *extent - 1) : std::nullopt;
  }
  if (const auto* access = std::get_if<Access>(&term.value)) return leaves.element(*access);
  if (const auto* negation = std::get_if<Negation>(&term.value)) {
    const Bounds a = interval_of(negation->operand[0], leaves);
    return a ? checked(-a->high, -a->low) : std::nullopt;
  }
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) {
    const Bounds a = interval_of(binary->operands[0], leaves), b = interval_of(binary->operands[1], leaves);
    if (!a || !b) return std::nullopt;
    const std::optional<ir::Type> type = type_of(term, leaves);
    if (binary->op == BinaryOp::kDiv && type && type->is_float()) return quotient_of_floats(*a, *b);
    return of_binary(binary->op, *a, *b);
  }
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) return of_call(*call, leaves);
  return std::nullopt;
}

}  // namespace

std::optional<IndexInterval> interval_of(const Term& term, const Leaves& leaves) {
  const Bounds values = unwrapped(term, leaves);
  if (!values) return std::nullopt;
  const std::optional<ir::Type> type = type_of(term, leaves);
  const bool may_wrap_around = type && !ir::within({values->low, values->high}, ir::type_range(*type));
  return may_wrap_around ? std::nullopt : values;
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
