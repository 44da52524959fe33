// Extents of random expressions: a constant, or a*n + b of one symbolic extent n >= 1.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>

#include "nestwright/tensor.h"

namespace nestwright::property {

struct Symbol {
  Var var;
  std::int64_t value = 1;  ///< when the program runs
};

struct Dim {
  std::optional<Symbol> symbol;  ///< absent where a is 0
  std::int64_t a = 0, b = 1;

  static Dim constant(std::int64_t value) { return {{}, 0, value}; }
  static Dim of(Symbol n) { return {std::move(n), 1, 0}; }
  bool is_constant() const { return a == 0; }
  std::int64_t value() const { return b + (a != 0 ? a * symbol->value : 0); }
  Expr expr() const { return a != 0 ? symbol->var * Expr(a) + Expr(b) : Expr(b); }
  /// Whether it is at least 0 for every n >= 1.
  bool is_non_negative() const { return a >= 0 && a + b >= 0; }
};

/// x + scale * y; absent where they have different symbols.
inline std::optional<Dim> add(const Dim& x, const Dim& y, std::int64_t scale = 1) {
  if (x.a != 0 && y.a != 0 && !(x.symbol->var == y.symbol->var)) return std::nullopt;
  Dim sum{x.a != 0 ? x.symbol : y.symbol, x.a + scale * y.a, x.b + scale * y.b};
  if (sum.a == 0) sum.symbol.reset();
  return sum;
}

inline Dim plus(Dim x, std::int64_t constant) {
  x.b += constant;
  return x;
}

inline Dim times(Dim x, std::int64_t factor) {
  x.a *= factor;
  x.b *= factor;
  return x;
}

/// Whether x < y for every value of the symbols.
inline bool is_less(const Dim& x, const Dim& y) {
  const std::optional<Dim> difference = add(y, x, -1);
  return difference && plus(*difference, -1).is_non_negative();
}

}  // namespace nestwright::property
