#include "text/syntax/token.h"

#include <array>
#include <charconv>
#include <cmath>

#include "text/syntax/expression_error.h"

namespace nestwright::text {
namespace {

constexpr std::string_view kTwoCharacters[] = {"<=", ">=", "==", "!=", "&&", "||", "<<", ">>"};
constexpr std::string_view kOneCharacter = "+-*/%<>=!&|^()[],;:?";

// Not those of <cctype>, which depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  Token next() {
    if (at_ == text_.size()) return {Token::Kind::kEnd, "", at_};
    const char c = text_[at_];
    if (is_letter(c)) return name();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    for (const std::string_view symbol : kTwoCharacters) {
      if (text_.substr(at_).starts_with(symbol)) return take(Token::Kind::kSymbol, symbol.size());
    }
    if (kOneCharacter.find(c) != std::string_view::npos) return take(Token::Kind::kSymbol, 1);
    throw ExpressionError(text_, at_, "this character begins no name, number or operator");
  }

  Token take(Token::Kind kind, std::size_t length) {
    const Token token{kind, std::string(text_.substr(at_, length)), at_};
    at_ += length;
    return token;
  }

  Token name() {
    std::size_t length = 1;
    while (at_ + length < text_.size() && (is_letter(text_[at_ + length]) || is_digit(text_[at_ + length]))) ++length;
    return take(Token::Kind::kName, length);
  }

  Token number() {
    std::size_t end = at_;
    const auto skip_digits = [&] {
      while (end < text_.size() && is_digit(text_[end])) ++end;
    };
    skip_digits();
    bool is_whole = true;
    if (end < text_.size() && text_[end] == '.') {
      is_whole = false;
      ++end;
      skip_digits();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t digits = end + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        is_whole = false;
        end = digits;
        skip_digits();
      }
    }
    Token token = take(is_whole ? Token::Kind::kInteger : Token::Kind::kReal, end - at_);
    const char* const first = token.text.data();
    const char* const last = first + token.text.size();
    const std::errc error =
        is_whole ? std::from_chars(first, last, token.whole).ec : std::from_chars(first, last, token.value).ec;
    if (error != std::errc()) throw ExpressionError(text_, token.at, "the number " + token.text + " is out of range");
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Token::describe() const {
  switch (kind) {
    case Kind::kName:
    case Kind::kSymbol:
      return "'" + text + "'";
    case Kind::kInteger:
    case Kind::kReal:
      return "the number " + text;
    case Kind::kEnd:
      return "the end";
  }
  return {};
}

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace nestwright::text
