#include <array>
#include <charconv>
#include <cmath>

#include "support/error.h"
#include "text/canonical.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;

/// How tightly an operator binds; larger is tighter.
int level_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return 0;
    case BinaryOp::kAnd:
      return 1;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      return 2;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return 3;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
      return 4;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      break;
  }
  throw InternalError("min and max are written as functions");
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
  const auto* binary = std::get_if<BinaryTerm>(&term.value);
  if (binary == nullptr) return to_string(term);
  const int own = level_of(binary->op);
  const bool is_comparison = level == level_of(BinaryOp::kEq);  // which does not chain
  const bool needs_brackets = own < level || (own == level && (is_right || is_comparison));
  return needs_brackets ? "(" + to_string(term) + ")" : to_string(term);
}

std::string unary_text(const char* op, const Term& operand) {
  const bool is_binary = std::holds_alternative<BinaryTerm>(operand.value);
  return op + (is_binary ? "(" + to_string(operand) + ")" : to_string(operand));
}

std::string access_text(const Access& access) {
  std::string text = access.tensor + "[" + joined(access.indices) + "]";
  if (!access.padding) return text;
  const double value = *access.padding;
  const bool is_whole = value == std::floor(value) && std::abs(value) < 0x1p53;
  return text + "?" + (is_whole ? std::to_string(static_cast<std::int64_t>(value)) : real_text(value));
}

}  // namespace

std::string to_string(const Term& term) {
  return std::visit(ir::overloaded{
                        [](const Integer& n) { return std::to_string(n.value); },
                        [](const Real& n) { return real_text(n.value); },
                        [](const IndexValue& n) { return n.name; },
                        [](const Access& n) { return access_text(n); },
                        [](const Negation& n) { return unary_text("-", n.operand[0]); },
                        [](const Complement& n) { return unary_text("!", n.operand[0]); },
                        [](const BinaryTerm& n) {
                          const int level = level_of(n.op);
                          return operand_text(n.operands[0], level, false) + ir::binary_op_name(n.op) +
                                 operand_text(n.operands[1], level, true);
                        },
                        [](const FunctionCall& n) { return n.name + "(" + joined(n.arguments) + ")"; },
                    },
                    term.value);
}

}  // namespace nestwright::text
