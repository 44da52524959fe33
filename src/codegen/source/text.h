// A C expression as text with its precedence, so that it is parenthesised only if necessary. Thread rule: a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace nestwright::codegen {

/// The precedence of a C expression, lowest first.
enum class Precedence : std::uint8_t { kTernary, kOr, kAnd, kEquality, kRelation, kSum, kProduct, kUnary, kAtom };

struct Text {
  std::string text;
  Precedence precedence = Precedence::kAtom;
  bool wide = false;  ///< an integer whose C type has 64 bits

  /// The text, in parentheses if it binds less tightly than `place`.
  std::string in(Precedence place) const { return precedence < place ? "(" + text + ")" : text; }
};

/// The next higher precedence. Requires one below kAtom.
inline Precedence next_higher(Precedence precedence) {
  return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

}  // namespace nestwright::codegen
