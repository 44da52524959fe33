// A piece of C text that knows how tightly it binds, so that it gets the parentheses that a person would write.
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace nestwright::codegen {

/// The operators of C that are written, those that bind least first.
enum class Binds : std::uint8_t { kTernary, kOr, kAnd, kEquality, kRelation, kSum, kProduct, kUnary, kAtom };

struct Text {
  std::string text;
  Binds binds = Binds::kAtom;
  bool wide = false;  ///< of an integer: C sees 64 bits

  /// For a place that takes what binds at least as tightly as `place`.
  std::string in(Binds place) const { return binds < place ? "(" + text + ")" : text; }
};

inline Binds tighter(Binds binds) { return static_cast<Binds>(static_cast<int>(binds) + 1); }

}  // namespace nestwright::codegen
