// Pointwise operators of several operands: arithmetic, comparisons, logic, selection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

bool is_unsigned(ir::Type type) { return type.code == ir::TypeCode::kUInt; }

struct BinaryFormula {
  const char* name;
  const char* text;
  bool is_condition = false;
};

constexpr BinaryFormula kBinaryFormulas[] = {
    {"Add", "{0}+{1}"},           {"And", "{0}&&{1}", true},
    {"BitwiseAnd", "{0}&{1}"},    {"BitwiseOr", "{0}|{1}"},
    {"BitwiseXor", "{0}^{1}"},    {"Equal", "{0}=={1}", true},
    {"Greater", "{0}>{1}", true}, {"GreaterOrEqual", "{0}>={1}", true},
    {"Less", "{0}<{1}", true},    {"LessOrEqual", "{0}<={1}", true},
    {"Mul", "{0}*{1}"},           {"Or", "{0}||{1}", true},
    {"Sub", "{0}-{1}"},           {"Xor", "{0}!={1}", true},
};

void binary(OperatorCall& call) {
  for (const BinaryFormula& formula : kBinaryFormulas) {
    if (call.op() != formula.name) continue;
    set_pointwise(call, formula.text, 2, formula.is_condition ? std::optional(kBool) : std::nullopt);
  }
}

/// Quotients of integers are truncated, where the language's are rounded down.
void divide(OperatorCall& call) {
  const ir::Type type = call.type(0).type;
  if (type.is_float()) return set_pointwise(call, "{0}/{1}", 2);
  if (is_unsigned(type)) return set_pointwise(call, "{0}/max({1},1)", 2);
  const std::string quotient = "abs({0})/max(abs({1}),1)";
  set_pointwise(call, "select(({0}<0)!=({1}<0),-(" + quotient + ")," + quotient + ")", 2);
}

/// The remainder has the sign of the divisor, or with fmod that of the dividend.
void modulo(OperatorCall& call) {
  const ir::Type type = call.type(0).type;
  const bool is_fmod = call.integer("fmod", 0) != 0;
  const char* formula = is_fmod ? "select({0}<0,-((-{0})%max(abs({1}),1)),{0}%max(abs({1}),1))"
                                : "select({1}<0,-((-{0})%max(-{1},1)),{0}%max({1},1))";
  if (is_unsigned(type)) formula = "{0}%max({1},1)";
  // float16 would round the quotient to another integer.
  if (type.is_float()) formula = is_fmod ? "{0}-{1}*trunc({0}/{1})" : "{0}-{1}*floor({0}/{1})";
  if (type.is_narrow_float()) {
    const std::string quotient = "(float32({0})/float32({1}))";
    return set_pointwise(
        call, type.str() + "(float32({0})-float32({1})*" + (is_fmod ? "trunc" : "floor") + quotient + ")", 2);
  }
  set_pointwise(call, formula, 2);
}

/// The product of `count` reads of the first operand.
std::string small_power(int count) {
  std::string text = "{0}";
  for (int i = 1; i < count; ++i) text += "*{0}";
  return text;
}

void power(OperatorCall& call) {
  const ir::Type base = call.type(0).type, exponent = call.type(1).type;
  if (call.type(1).elements() == 1 && call.graph().value(call.input(1)).is_constant && call.rank(1) <= call.rank(0)) {
    const double value = call.constant_number(1);
    if (value == 1 || value == 2 || value == 3) return set_pointwise(call, small_power(static_cast<int>(value)));
    if (value == 0.5 && base.is_float()) return set_pointwise(call, "sqrt({0})");
    if (value == -0.5 && base.is_float()) return set_pointwise(call, "1/sqrt({0})");
    if (value == -1 && base.is_float()) return set_pointwise(call, "1/{0}");
    if (base.is_float() && std::isfinite(value)) {
      return set_pointwise(call, fmt::format("pow({{0}},{})", literal_of(value)));
    }
  }
  const bool is_wide = base == kFloat64 || exponent == kFloat64 || base.is_int();
  const ir::Type in = is_wide ? kFloat64 : base;
  const auto converted = [](ir::Type from, ir::Type to, const std::string& x) {
    return from == to ? x : to.str() + "(" + x + ")";
  };
  const std::string value = fmt::format("pow({},{})", converted(base, in, "{0}"), converted(exponent, in, "{1}"));
  set_pointwise(call, converted(in, base, value), 2, base);
}

void bit_shift(OperatorCall& call) {
  const std::string direction = call.text("direction", "");
  call.require_valid(direction == "LEFT" || direction == "RIGHT", "direction is neither LEFT nor RIGHT");
  set_pointwise(call, direction == "LEFT" ? "{0}<<{1}" : "{0}>>{1}", 2);
}

void sum_or_mean(OperatorCall& call) {
  std::vector<ValueId> operands;
  std::string formula;
  for (std::size_t i = 0; i < call.input_count(); ++i) {
    operands.push_back(call.input(i));
    formula += fmt::format("{}{{{}}}", i == 0 ? "" : "+", i);
  }
  call.require_valid(!operands.empty(), "it has no operands");
  if (call.op() == "Mean" && operands.size() > 1) formula = fmt::format("({})/{}", formula, operands.size());
  if (operands.size() == 1) return call.set_output(0, operands.front());
  call.set_output(0, apply_pointwise(call, formula, operands));
}

/// Whether an input is constant and has no NaN.
bool is_never_nan(OperatorCall& call, std::size_t i) {
  if (!call.graph().value(call.input(i)).is_constant || call.type(i).elements() > 4096) return false;
  return std::ranges::none_of(call.constant_numbers(i), [](double number) { return std::isnan(number); });
}

/// NaN of one operand is the result, where the language's minimum and maximum are the other operand.
std::string extremum(const std::string& order, bool may_first_be_nan, bool may_second_be_nan) {
  if (!may_first_be_nan) return "select({1}" + order + "{0},{0},{1})";
  return "select({0}" + order + "{1}" + (may_second_be_nan ? "||{1}!={1}" : "") + ",{1},{0})";
}

void min_or_max(OperatorCall& call) {
  const bool is_max = call.op() == "Max";
  ValueId result = call.input(0);
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    std::string formula = is_max ? "max({0},{1})" : "min({0},{1})";
    if (call.type(0).type.is_float()) {
      formula = extremum(is_max ? "<" : ">", i > 1 || !is_never_nan(call, 0), !is_never_nan(call, i));
    }
    result = apply_pointwise(call, formula, {result, call.input(i)});
  }
  call.set_output(0, result);
}

void where(OperatorCall& call) { set_pointwise(call, "select({0},{1},{2})", 3); }

/// A bound of Clip.
struct Bound {
  std::string text;              ///< in the formula
  std::optional<double> number;  ///< if it is constant
};

std::optional<Bound> bound_of(OperatorCall& call, std::size_t i, const char* attribute,
                              std::vector<ValueId>& operands) {
  if (call.has_attribute(attribute)) {
    const double value = call.real(attribute, 0);
    constexpr double kHighest = std::numeric_limits<float>::max();
    if (value <= -kHighest || value >= kHighest) return std::nullopt;
    return Bound{literal_of(value), value};
  }
  if (!call.has_input(i)) return std::nullopt;
  call.require_valid(call.type(i).elements() == 1, "a bound is no scalar");
  if (call.graph().value(call.input(i)).is_constant) {
    const double value = call.constant_number(i);
    if (std::abs(value) <= 0x1p53) return Bound{literal_of(value), value};
  }
  operands.push_back(call.reshape(call.input(i), {}));
  return Bound{fmt::format("{{{}}}", operands.size() - 1), std::nullopt};
}

void clip(OperatorCall& call) {
  std::vector<ValueId> operands{call.input(0)};
  const std::optional<Bound> low = bound_of(call, 1, "min", operands), high = bound_of(call, 2, "max", operands);
  std::string formula = "{0}";
  if (low) formula = fmt::format("max({},{})", formula, low->text);
  if (high) formula = fmt::format("min({},{})", formula, high->text);
  const bool are_numbers = low && high && low->number && high->number;
  if (are_numbers && *low->number <= *high->number) {
    formula = fmt::format("clamp({{0}},{},{})", low->text, high->text);
  }
  if (formula == "{0}") return call.set_output(0, operands.front());
  call.set_output(0, apply_pointwise(call, formula, operands, call.type(0).type));
}

}  // namespace

std::vector<OnnxOperator> arithmetic_operators() {
  std::vector<OnnxOperator> operators = {
      {"BitShift", 11, kNewestOpset, {"direction"}, bit_shift},
      {"Clip", 6, 10, {"max", "min"}, clip},
      {"Clip", 11, kNewestOpset, {}, clip},
      {"Div", 7, kNewestOpset, {}, divide},
      {"Max", 6, kNewestOpset, {}, min_or_max},
      {"Mean", 6, kNewestOpset, {}, sum_or_mean},
      {"Min", 6, kNewestOpset, {}, min_or_max},
      {"Mod", 10, kNewestOpset, {"fmod"}, modulo},
      {"Pow", 7, kNewestOpset, {}, power},
      {"Sum", 6, kNewestOpset, {}, sum_or_mean},
      {"Where", 9, kNewestOpset, {}, where},
  };
  for (const BinaryFormula& formula : kBinaryFormulas) operators.push_back({formula.name, 7, kNewestOpset, {}, binary});
  return operators;
}

}  // namespace nestwright
