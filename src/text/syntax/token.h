// The tokens of an expression text (docs/expressions.md).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::text {

struct Token {
  enum class Kind : std::uint8_t {
    kName,     ///< letters, digits and _, the first no digit
    kInteger,  ///< digits, below 2^63
    kReal,     ///< with a point or an exponent
    kSymbol,   ///< of one or two characters: + <= && [
    kEnd,
  } kind = Kind::kEnd;
  std::string text;        ///< as written; empty at the end
  std::size_t at = 0;      ///< offset of the first character
  double value = 0;        ///< of a kReal
  std::int64_t whole = 0;  ///< of a kInteger

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  /// As messages call it: "'k'", "the number 3", "the end".
  std::string describe() const;
};

/// The last token is a kEnd. Throws ExpressionError for a character that begins no token and for a number that is too
/// large.
std::vector<Token> tokenize(std::string_view text);

}  // namespace nestwright::text
