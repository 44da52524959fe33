#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "nestwright/error.h"
#include "text/syntax/canonical.h"
#include "text/syntax/infix.h"

namespace nestwright::text {
namespace {

/// The operator that a term is written with, between its operands; nullptr where it has none.
const InfixOperator* infix_of(const Term& term) {
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return find_infix(ir::binary_op_name(binary->op));
  const auto* call = std::get_if<FunctionCall>(&term.value);
  return call == nullptr ? nullptr : find_infix(call->name);
}

std::string real_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc(), "a number has a text of at most 32 characters");
  std::string shown(text.data(), end);
  if (shown.find_first_of(".e") == std::string::npos) shown += ".0";
  return shown;
}

std::string joined(const std::vector<Term>& terms) {
  std::string text;
  for (const Term& term : terms) text += (text.empty() ? "" : ",") + to_string(term);
  return text;
}

std::string operand_text(const Term& term, int level, bool is_right) {
  const InfixOperator* const own = infix_of(term);
  // Comparisons do not chain.
  const bool needs_brackets = own != nullptr && (own->level < level || (own->level == level && is_right) ||
                                                 (own->level == level && level == kComparisonLevel));
  return needs_brackets ? "(" + to_string(term) + ")" : to_string(term);
}

std::string infix_text(const InfixOperator& op, const std::vector<Term>& operands) {
  return operand_text(operands[0], op.level, false) + op.symbol + operand_text(operands[1], op.level, true);
}

std::string unary_text(const char* op, const Term& operand) {
  return op + (infix_of(operand) != nullptr ? "(" + to_string(operand) + ")" : to_string(operand));
}

std::string access_text(const Access& access) {
  std::string text = access.tensor + "[" + joined(access.indices) + "]";
  if (!access.padding) return text;
  const double value = *access.padding;
  const bool is_negative_zero = value == 0 && std::signbit(value);
  const bool is_whole = value == std::floor(value) && std::abs(value) < 0x1p53 && !is_negative_zero;
  return text + "?" + (is_whole ? std::to_string(static_cast<std::int64_t>(value)) : real_text(value));
}

/// The smallest integer is written as a difference, since its absolute value is none.
std::string integer_text(std::int64_t value) {
  const bool is_smallest = value == std::numeric_limits<std::int64_t>::min();
  return is_smallest ? "(" + std::to_string(value + 1) + "-1)" : std::to_string(value);
}

}  // namespace

std::string to_string(const Term& term) {
  return std::visit(
      ir::overloaded{
          [](const Integer& n) { return integer_text(n.value); },
          [](const Real& n) { return real_text(n.value); },
          [](const IndexValue& n) { return n.name; },
          [](const Access& n) { return access_text(n); },
          [](const Negation& n) { return unary_text("-", n.operand[0]); },
          [](const Complement& n) { return unary_text("!", n.operand[0]); },
          [](const BinaryTerm& n) { return infix_text(*find_infix(ir::binary_op_name(n.op)), n.operands); },
          [](const FunctionCall& n) {
            const InfixOperator* const op = find_infix(n.name);
            return op != nullptr ? infix_text(*op, n.arguments) : n.name + "(" + joined(n.arguments) + ")";
          },
      },
      term.value);
}

}  // namespace nestwright::text
