#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "space/nearest_name.h"
#include "text/syntax/expression_error.h"
#include "text/syntax/fold_literals.h"
#include "text/syntax/functions.h"
#include "text/syntax/infix.h"
#include "text/syntax/reduction_parts.h"
#include "text/syntax/syntax.h"
#include "text/syntax/token.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::pair<const char*, ReductionKind> kReductions[] = {
    {"sum", ReductionKind::kSum},      {"prod", ReductionKind::kProd}, {"min", ReductionKind::kMin},
    {"max", ReductionKind::kMax},      {"any", ReductionKind::kAny},   {"all", ReductionKind::kAll},
    {"argmax", ReductionKind::kArgmax}};

std::optional<ReductionKind> find_reduction(std::string_view name) {
  for (const auto& [known, kind] : kReductions) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string text) : tokens_(tokenize(text)) {
    source_.text = std::move(text);
    for (const Token& token : tokens_) {
      if (token.kind == Token::Kind::kName) names_.insert(token.text);
    }
  }

  Source run() {
    if (peek().kind == Token::Kind::kEnd)
      fail("the text is empty; write an expression, as in C[i] = A[i] + B[i] i=512");
    while (peek().kind != Token::Kind::kEnd) {
      if (is_size()) {
        sizes();
        continue;
      }
      statement();
      if (peek().is(";")) {
        ++at_;
      } else if (peek().kind != Token::Kind::kEnd && !is_size()) {
        expect_end_of_statement();
      }
    }
    return std::move(source_);
  }

 private:
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take() {
    const Token token = peek();
    if (token.kind != Token::Kind::kEnd) ++at_;
    return token;
  }
  [[noreturn]] void fail(const std::string& reason) const { fail_at(peek().at, reason); }
  [[noreturn]] void fail_at(std::size_t at, const std::string& reason) const {
    throw ExpressionError(source_.text, at, reason);
  }
  [[noreturn]] void expected(const std::string& what) const { fail("expected " + what + ", got " + peek().describe()); }
  void expect(std::string_view symbol, const std::string& alternatives = {}) {
    if (!peek().is(symbol))
      expected((alternatives.empty() ? "" : alternatives + " or ") + "'" + std::string(symbol) + "'");
    ++at_;
  }
  Name name(const std::string& what) {
    if (peek().kind != Token::Kind::kName) expected(what);
    const Token token = take();
    return {token.text, token.at};
  }
  bool is_size() const { return peek().kind == Token::Kind::kName && peek(1).is("="); }

  [[noreturn]] void expect_end_of_statement() const {
    expected(was_declaration_ ? "';' or the end" : "an operator, ';' or the end");
  }

  void statement() {
    const Name tensor = name("the name of a tensor");
    was_declaration_ = peek().is(":");
    if (was_declaration_) return declaration(tensor);
    if (!peek().is("[")) expected("'[' or ':' after the name of a tensor");
    definition(tensor);
  }

  void definition(const Name& tensor) {
    Definition made{.tensor = tensor, .body = {}};
    expect("[");
    if (!peek().is("]")) {
      made.indices.push_back(name("an index or ']'"));
      while (peek().is(",")) {
        ++at_;
        made.indices.push_back(name("an index"));
      }
    }
    expect("]", "','");
    check_rank(made.indices.size(), tensor);
    expect("=");
    parts_ = ReductionParts(tensor.text);
    scope_ = made.indices;
    made.body = term();
    parts_.move_to(source_.definitions, std::move(made));
  }

  void check_rank(std::size_t indices, const Name& where) const {
    if (indices > kMaxRank)
      fail_at(where.at, "more than " + std::to_string(kMaxRank) + " indices are given: use fewer");
  }

  /// min and max are reductions where the first argument is a new index.
  std::optional<ReductionKind> reduction_here() const {
    if (!peek(1).is("(")) return std::nullopt;
    const std::optional<ReductionKind> kind = find_reduction(peek().text);
    if (kind != ReductionKind::kMin && kind != ReductionKind::kMax) return kind;
    const Token& first = peek(2);
    return first.kind == Token::Kind::kName && peek(3).is(",") && !is_in_scope(first.text) ? kind : std::nullopt;
  }

  bool is_in_scope(const std::string& index) const {
    return std::any_of(scope_.begin(), scope_.end(), [&](const Name& known) { return known.text == index; });
  }

  /// A reduction is computed by a statement of its own, whose tensor is read here.
  Term reduction(ReductionKind kind) {
    const std::size_t at = take().at;
    Reduction made_reduction{kind, at, {}};
    ++at_;
    const std::size_t outside = scope_.size(), first_inside = parts_.count();
    while (peek().kind == Token::Kind::kName && peek(1).is(",")) {
      const Name axis = name("an index");
      if (is_in_scope(axis.text)) fail_at(axis.at, "the index '" + axis.text + "' is given twice");
      made_reduction.axes.push_back(axis);
      scope_.push_back(axis);
      ++at_;
    }
    if (made_reduction.axes.empty()) expected("an index to reduce over, followed by ','");
    check_rank(made_reduction.axes.size(), made_reduction.axes.back());
    Term body = term();
    expect(")", "an operator");
    scope_.resize(outside);
    Access read = parts_.add(std::move(made_reduction), std::move(body), scope_, first_inside, names_);
    check_rank(read.indices.size(), {read.tensor, at});
    return made(at, std::move(read));
  }

  void declaration(const Name& tensor) {
    ++at_;
    Declaration made{.tensor = tensor};
    if (peek().kind != Token::Kind::kName) expected("'constant', a type or 'in'");
    if (peek().text == "constant") {
      ++at_;
      made.is_constant = true;
    }
    if (peek().kind == Token::Kind::kName && peek().text != "in" && !is_size()) {
      const Name type = name("a type");
      made.type = find_type(type.text);
      if (!made.type) fail_at(type.at, "'" + type.text + "' is no type: the types are " + type_names());
      if (peek().is("[")) made.shape = shape();
    }
    if (peek().kind == Token::Kind::kName && peek().text == "in") {
      ++at_;
      made.range = range();
    }
    source_.declarations.push_back(std::move(made));
  }

  static std::string type_names() {
    std::vector<std::string> names;
    for (const ir::Type type : ir::element_types()) names.push_back(type.str());
    return join_names(names);
  }

  std::vector<Extent> shape() {
    std::vector<Extent> extents;
    const std::size_t begin = peek().at;
    expect("[");
    while (!peek().is("]")) {
      if (!extents.empty()) expect(",", "']'");
      if (peek().kind == Token::Kind::kName) {
        const Token token = take();
        extents.push_back({token.at, token.text, 0});
      } else {
        const std::size_t at = peek().at;
        extents.push_back({at, "", extent("an extent: a number or the name of a size")});
      }
    }
    ++at_;
    check_rank(extents.size(), {"", begin});
    return extents;
  }

  std::int64_t extent(const std::string& what) {
    if (peek().kind != Token::Kind::kInteger) expected(what);
    const Token token = take();
    constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();
    if (token.whole < 1 || token.whole > kMaxExtent) {
      fail_at(token.at, "an extent is an integer from 1 to " + std::to_string(kMaxExtent));
    }
    return token.whole;
  }

  Range range() {
    expect("[");
    const std::size_t begin = peek().at;
    const double low = exact_number("the end of the range");
    expect(",");
    const double high = exact_number("the end of the range");
    expect("]");
    if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
      fail_at(begin, "a range is [low, high] of finite numbers with low <= high");
    }
    return {low, high};
  }

  /// A literal with an optional sign, as a range or a padding has it.
  double number() {
    const bool is_negative = peek().is("-");
    if (is_negative) ++at_;
    const Token token = peek();
    const bool is_infinity = token.kind == Token::Kind::kName && token.text == "inf";
    const bool is_whole = token.kind == Token::Kind::kInteger;
    if (!is_infinity && !is_whole && token.kind != Token::Kind::kReal) expected("a number");
    ++at_;
    if (is_whole) return static_cast<double>(is_negative ? -token.whole : token.whole);  // -0 is 0, as in a term
    const double value = is_infinity ? kInfinity : token.value;
    return is_negative ? -value : value;
  }

  /// A number. Refuses a whole one that a double would round. `what` is its name in the message.
  double exact_number(const std::string& what) {
    const std::size_t at = peek().at;
    const Token& digits = peek(peek().is("-") ? 1 : 0);
    if (digits.kind == Token::Kind::kInteger) {
      const double value = static_cast<double>(digits.whole);
      if (value >= 0x1p63 || static_cast<std::int64_t>(value) != digits.whole) {
        fail_at(at, what + " " + digits.text + " is not exact in double precision: use an integer up to 2^53");
      }
    }
    return number();
  }

  /// i=512 j=512
  void sizes() {
    while (is_size()) {
      const Name of = name("the name of a size");
      ++at_;
      if (peek().kind != Token::Kind::kInteger) {
        fail("expected an integer: the extent of '" + of.text + "', got " + peek().describe() +
             "; a tensor is written with brackets, as in " + of.text + "[] = ...");
      }
      source_.sizes.push_back({of, extent("an integer")});
    }
    if (peek().kind == Token::Kind::kEnd) return;
    expect(";", "another size, as in i=512, the end");
  }

  Term term() { return binary(0); }

  /// Comparisons do not chain.
  Term binary(int level) {
    if (level == kInfixLevels) return unary();
    Term left = binary(level + 1);
    while (true) {
      const InfixOperator* const found = peek().kind == Token::Kind::kSymbol ? find_infix(peek().text) : nullptr;
      if (found == nullptr || found->level != level) return left;
      const std::size_t at = take().at;
      std::vector<Term> operands;
      operands.push_back(std::move(left));
      operands.push_back(binary(level + 1));
      left = found->op ? combined(at, *found->op, std::move(operands)) : bits(at, found->symbol, std::move(operands));
      if (level == kComparisonLevel) return left;
    }
  }

  /// An operation on the bits of two literals is done here, on int64.
  Term bits(std::size_t at, const char* symbol, std::vector<Term> operands) const {
    const auto* a = std::get_if<Integer>(&operands[0].value);
    const auto* b = std::get_if<Integer>(&operands[1].value);
    if (a == nullptr || b == nullptr) return made(at, FunctionCall{symbol, std::move(operands)});
    const std::vector<ir::Expr> literals{ir::Expr(a->value), ir::Expr(b->value)};
    const ir::Expr folded = find_function(symbol)->build(literals);
    return made(operands[0].at, Integer{*ir::as_const_int(folded)});
  }

  Term combined(std::size_t at, BinaryOp op, std::vector<Term> operands) const {
    const std::optional<Literal> folded = fold_literals(source_.text, at, op, operands[0], operands[1]);
    if (!folded) return made(at, BinaryTerm{op, std::move(operands)});
    return std::visit([&](const auto& value) { return made(operands[0].at, value); }, *folded);
  }

  Term unary() {
    const Token token = peek();
    if (!token.is("-") && !token.is("!")) return primary();
    ++at_;
    const Guard guard(*this);
    std::vector<Term> operand;
    operand.push_back(unary());
    if (token.is("!")) return made(token.at, Complement{std::move(operand)});
    if (auto* integer = std::get_if<Integer>(&operand[0].value)) {
      if (integer->value == std::numeric_limits<std::int64_t>::min()) {
        fail_at(token.at, "the result of '-' is out of range");
      }
      return made(token.at, Integer{-integer->value});
    }
    if (auto* real = std::get_if<Real>(&operand[0].value)) return made(token.at, Real{-real->value});
    return made(token.at, Negation{std::move(operand)});
  }

  Term primary() {
    const Guard guard(*this);
    const Token token = peek();
    switch (token.kind) {
      case Token::Kind::kInteger:
        ++at_;
        return made(token.at, Integer{token.whole});
      case Token::Kind::kReal:
        ++at_;
        return made(token.at, Real{token.value});
      case Token::Kind::kName:
        if (const std::optional<ReductionKind> kind = reduction_here()) return reduction(*kind);
        return named();
      case Token::Kind::kSymbol:
        if (token.is("(")) {
          ++at_;
          Term inner = term();
          expect(")", "an operator");
          return inner;
        }
        break;
      case Token::Kind::kEnd:
        break;
    }
    expected("a number, an index, a tensor, a function or '('");
  }

  Term named() {
    const Token token = take();
    if (peek().is("[")) return access(token);
    if (peek().is("(")) return call(token);
    if (token.text == "inf") return made(token.at, Real{kInfinity});
    return made(token.at, IndexValue{token.text});
  }

  Term access(const Token& tensor) {
    Access read{tensor.text, list("[", "]"), std::nullopt};
    check_rank(read.indices.size(), {tensor.text, tensor.at});
    if (peek().is("?")) {
      ++at_;
      read.padding_at = peek().at;
      read.padding = exact_number("the padding");
    }
    return made(tensor.at, std::move(read));
  }

  Term call(const Token& function) {
    const NamedFunction* const known = find_function(function.text);
    const std::optional<ir::Type> type = find_type(function.text);
    if (known == nullptr && !type) refuse_function(function);
    FunctionCall made_call{function.text, list("(", ")")};
    const std::size_t arity = type ? 1 : known->arity;
    if (made_call.arguments.size() != arity) {
      fail_at(function.at, function.text + " takes " + std::to_string(arity) +
                               (arity == 1 ? " argument" : " arguments") + ", not " +
                               std::to_string(made_call.arguments.size()));
    }
    return made(function.at, std::move(made_call));
  }

  [[noreturn]] void refuse_function(const Token& function) const {
    const std::vector<std::string> names = function_names();
    fail_at(function.at, "there is no function '" + function.text + "'" + did_you_mean(function.text, names) +
                             "; the functions are " + join_names(names) +
                             ", conversions as float32(x), and reductions as sum(k, X[k])");
  }

  /// Terms between brackets.
  std::vector<Term> list(std::string_view open, std::string_view close) {
    expect(open);
    std::vector<Term> terms;
    if (peek().is(close)) {
      ++at_;
      return terms;
    }
    terms.push_back(term());
    while (peek().is(",")) {
      ++at_;
      terms.push_back(term());
    }
    expect(close, "an operator, ','");
    return terms;
  }

  template <class Value>
  Term made(std::size_t at, Value value) const {
    int below = 0;
    const auto count = [&](const std::vector<Term>& terms) {
      for (const Term& t : terms) below = std::max(below, t.height);
    };
    if constexpr (requires { value.operands; }) count(value.operands);
    if constexpr (requires { value.operand; }) count(value.operand);
    if constexpr (requires { value.indices; }) count(value.indices);
    if constexpr (requires { value.arguments; }) count(value.arguments);
    if (below == kMaxHeight) refuse_depth(at);
    return {at, below + 1, std::move(value)};
  }

  [[noreturn]] void refuse_depth(std::size_t at) const {
    fail_at(at,
            "operations are nested more than " + std::to_string(kMaxHeight) + " deep: make statements of the parts");
  }

  /// Counts the nesting of brackets and signs, by which the parser calls itself.
  struct Guard {
    explicit Guard(Parser& p) : parser(p) {
      if (++parser.depth_ > kMaxHeight) parser.refuse_depth(parser.peek().at);
    }
    ~Guard() { --parser.depth_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Parser& parser;
  };

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool was_declaration_ = false;
  std::set<std::string> names_;  ///< of the text and of the tensors that are made
  std::vector<Name> scope_;      ///< the indices of the statement and of the reductions around
  ReductionParts parts_;         ///< of the statement
  Source source_;
};

}  // namespace

std::size_t first_character(const Term& term) {
  if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return first_character(binary->operands[0]);
  const auto* call = std::get_if<FunctionCall>(&term.value);
  return call != nullptr && find_infix(call->name) != nullptr ? first_character(call->arguments[0]) : term.at;
}

const char* reduction_name(ReductionKind kind) {
  for (const auto& [name, known] : kReductions) {
    if (known == kind) return name;
  }
  return "";
}

Source parse_source(std::string text) {
  if (text.size() > kMaxText) {
    throw ExpressionError(text, kMaxText, "the text is longer than " + std::to_string(kMaxText) + " characters");
  }
  return Parser(std::move(text)).run();
}

}  // namespace nestwright::text
