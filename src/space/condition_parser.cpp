#include "space/condition_parser.h"

#include <charconv>
#include <utility>

#include "support/error.h"

namespace nestwright {
namespace {

using Node = KnobCondition::Node;
using Kind = Node::Kind;

constexpr int kMaxDepth = 64;                               // of parentheses and minus signs
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 50;  // products of a few are exact enough as doubles

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
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
    if (is_word && end < text_.size() && (is_word_start(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  static Node combine(Kind kind, std::size_t at, Node a, Node b) {
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

  Node disjunction() {
    Node left = conjunction();
    for (std::size_t at = next(); accept("or"); at = next()) {
      Node right = conjunction();
      require_condition(left);
      require_condition(right);
      left = combine(Kind::kOr, at, std::move(left), std::move(right));
    }
    return left;
  }

  Node conjunction() {
    Node left = comparison();
    for (std::size_t at = next(); accept("and"); at = next()) {
      Node right = comparison();
      require_condition(left);
      require_condition(right);
      left = combine(Kind::kAnd, at, std::move(left), std::move(right));
    }
    return left;
  }

  Node comparison() {
    Node left = sum();
    const std::size_t at = next();
    constexpr std::pair<std::string_view, Kind> kSigns[] = {{"<=", Kind::kLe}, {">=", Kind::kGe}, {"==", Kind::kEq},
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

  Node sum() {
    Node left = product();
    for (;;) {
      const std::size_t at = next();
      const bool adds = accept("+");
      if (!adds && !accept("-")) return left;
      Node right = product();
      require_number(left);
      require_number(right);
      left = combine(adds ? Kind::kAdd : Kind::kSub, at, std::move(left), std::move(right));
    }
  }

  Node product() {
    Node left = operand();
    for (std::size_t at = next(); accept("*"); at = next()) {
      Node right = operand();
      require_number(left);
      require_number(right);
      left = combine(Kind::kMul, at, std::move(left), std::move(right));
    }
    return left;
  }

  Node operand() {
    const std::size_t at = next();
    if (at < text_.size() && is_digit(text_[at])) return {.kind = Kind::kNumber, .at = at, .number = number()};
    if (at < text_.size() && is_word_start(text_[at])) return word();
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
    while (at_ < text_.size() && (is_word_start(text_[at_]) || is_digit(text_[at_]))) node.word += text_[at_++];
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
  int depth_ = 0;
};

}  // namespace

Node parse_condition(std::string_view text) { return Parser(text).parse(); }

void refuse_condition(std::string_view text, std::size_t at, const std::string& what) {
  throw UsageError("condition '" + std::string(text) + "', character " + std::to_string(at + 1) +
                   (at >= text.size() ? " (its end)" : "") + ": " + what);
}

}  // namespace nestwright
