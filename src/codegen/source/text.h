// A C expression as text with its precedence, so that it is parenthesised only if necessary. Thread rule: a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace nestwright::codegen {

/// The precedence of a C expression, lowest first.
enum class Binds : std::uint8_t { kTernary, kOr, kAnd, kEquality, kRelation, kSum, kProduct, kUnary, kAtom };

struct Text {
  std::string text;
  Binds binds = Binds::kAtom;
  bool wide = false;  ///< whether an integer has 64 bits in C

  /// The text as an operand that has to bind at least as tightly as `place`.
  std::string in(Binds place) const { return binds < place ? "(" + text + ")" : text; }
};

inline Binds tighter(Binds binds) { return static_cast<Binds>(static_cast<int>(binds) + 1); }

}  // namespace nestwright::codegen
