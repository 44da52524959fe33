#include "space/condition_parser.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Node = KnobCondition::Node;
using Kind = Node::Kind;

constexpr int kMaxDepth = 64;  // of parentheses and minus signs
constexpr int kMaxOperators = 1000;
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 50;  // products of a few are exact enough as doubles

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Knobs of a stage have a dot, as C.rows has; options may begin with a digit, as 4x4 does.
bool is_word_part(char c) { return is_word_start(c) || is_digit(c) || c == '.'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node parse() {
    Node root = disjunction();
    skip_blanks();
    if (at_ < text_.size()) refuse(at_, "expected an operator, 'and', 'or' or the end");
    require_condition(root);
    return root;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& what) const { refuse_condition(text_, at, what); }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  /// Consumes `sign` if it comes next.
  bool accept(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    const bool is_word = is_word_start(sign.front());
    if (is_word && end < text_.size() && is_word_part(text_[end])) return false;
    at_ = end;
    return true;
  }

  Node combine(Kind kind, std::size_t at, Node a, Node b) {
    if (++operators_ > kMaxOperators) refuse(at, "it has too many operators");
    const bool divides = kind == Kind::kDiv || kind == Kind::kMod;
    if (divides && b.kind == Kind::kNumber && b.number == 0) refuse(b.at, "the divisor is 0");
    Node node{.kind = kind, .at = at};
    node.operands.push_back(std::move(a));
    node.operands.push_back(std::move(b));
    return node;
  }

  void require_condition(const Node& node) const {
    if (!node.is_condition()) refuse(node.at, "expected a comparison, such as tile <= 64");
  }
  void require_number(const Node& node) const {
    if (node.is_condition()) refuse(node.at, "a comparison is no number: join comparisons by 'and' or 'or'");
  }

  using Sign = std::pair<std::string_view, Kind>;

  /// Parses operands of `tighter`, joined by `signs` from the left. `require` refuses an operand of the other kind.
  Node chain(Node (Parser::*tighter)(), std::initializer_list<Sign> signs, void (Parser::*require)(const Node&) const) {
    Node left = (this->*tighter)();
    for (;;) {
      const std::size_t at = next();
      const auto sign = std::find_if(signs.begin(), signs.end(), [&](const Sign& s) { return accept(s.first); });
      if (sign == signs.end()) return left;
      Node right = (this->*tighter)();
      (this->*require)(left);
      (this->*require)(right);
      left = combine(sign->second, at, std::move(left), std::move(right));
    }
  }

  Node disjunction() { return chain(&Parser::conjunction, {{"or", Kind::kOr}}, &Parser::require_condition); }
  Node conjunction() { return chain(&Parser::comparison, {{"and", Kind::kAnd}}, &Parser::require_condition); }
  Node sum() { return chain(&Parser::product, {{"+", Kind::kAdd}, {"-", Kind::kSub}}, &Parser::require_number); }
  Node product() {
    return chain(&Parser::operand, {{"*", Kind::kMul}, {"/", Kind::kDiv}, {"%", Kind::kMod}}, &Parser::require_number);
  }

  Node comparison() {
    Node left = sum();
    const std::size_t at = next();
    constexpr Sign kSigns[] = {{"<=", Kind::kLe}, {">=", Kind::kGe}, {"==", Kind::kEq},
                               {"!=", Kind::kNe}, {"<", Kind::kLt},  {">", Kind::kGt}};
    for (const auto& [sign, kind] : kSigns) {
      if (!accept(sign)) continue;
      Node right = sum();
      require_number(left);
      require_number(right);
      return combine(kind, at, std::move(left), std::move(right));
    }
    if (accept("=")) refuse(at, "equality is written ==");
    return left;
  }

  Node operand() {
    const std::size_t at = next();
    std::size_t digits = 0;
    while (at + digits < text_.size() && is_digit(text_[at + digits])) ++digits;
    if (at + digits < text_.size() && is_word_part(text_[at + digits])) return word();
    if (digits > 0) return {.kind = Kind::kNumber, .at = at, .number = number()};
    if (++depth_ > kMaxDepth) refuse(at, "it is nested too deeply");
    Node inner;
    if (accept("(")) {
      inner = disjunction();
      const std::size_t end = next();
      if (!accept(")")) refuse(end, "expected ')'");
    } else if (accept("-")) {
      inner = operand();
      require_number(inner);
      inner = combine(Kind::kSub, at, {.kind = Kind::kNumber, .at = at, .number = 0}, std::move(inner));
    } else {
      refuse(at, "expected a number, a knob or '('");
    }
    --depth_;
    return inner;
  }

  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value > kMaxNumber) refuse(at_, "the number is too large");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  Node word() {
    Node node{.kind = Kind::kWord, .at = at_};
    while (at_ < text_.size() && is_word_part(text_[at_])) node.word += text_[at_++];
    if (node.word == "and" || node.word == "or") refuse(node.at, "expected a number, a knob or '('");
    if (!accept("[")) return node;
    const std::size_t at = next();
    if (at >= text_.size() || !is_digit(text_[at])) refuse(at, "expected the number of a part, as in tile[1]");
    node.part = static_cast<std::size_t>(number());
    const std::size_t end = next();
    if (!accept("]")) refuse(end, "expected ']'");
    return node;
  }

  /// The offset of the next character that is not blank.
  std::size_t next() {
    skip_blanks();
    return at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int operators_ = 0;
  int depth_ = 0;
};

}  // namespace

Node parse_condition(std::string_view text) { return Parser(text).parse(); }

void refuse_condition(std::string_view text, std::size_t at, const std::string& what) {
  throw UsageError("condition '" + std::string(text) + "', character " + std::to_string(at + 1) +
                   (at >= text.size() ? " (its end)" : "") + ": " + what);
}

}  // namespace nestwright
