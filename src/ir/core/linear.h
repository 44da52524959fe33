// Affine normal form: constant + sum of coefficient * atom. The one place that takes index expressions apart; the
// simplifier, bounds inference, the verifier, the features and address generation all read it.
#pragma once

#include <vector>

#include "ir/core/expr.h"

namespace nestwright::ir {

struct LinearTerm {
  Expr atom;  ///< a variable, or an opaque non-linear expression (floor division, min, a product of variables)
  std::int64_t coefficient;
};

/// Terms are in order of first occurrence, no coefficient is 0 and no two atoms are equal.
struct Linear {
  std::int64_t constant = 0;
  std::vector<LinearTerm> terms;

  bool is_constant() const { return terms.empty(); }
  /// Coefficient of a variable, 0 where it does not occur as a term of its own.
  std::int64_t coefficient(const Var& var) const;
  /// True where `var` occurs inside an atom that is not the variable itself.
  bool hides(const Var& var) const;
  Linear& add(const Linear& other, std::int64_t scale = 1);
  /// Adds coefficient * atom. `atom` is taken as opaque: a sum or a literal goes through to_linear.
  Linear& add_term(const Expr& atom, std::int64_t coefficient);
  Expr expr() const;
};

/// Requires a scalar integer expression. Products of sums of indices are multiplied out.
Linear to_linear(const Expr& e);

/// Equal, or alike but for the order of factors (n*i and i*n) and of what is divided.
bool same_atom(const Expr& a, const Expr& b);

/// True only where two indices differ whatever the values of their variables: by a constant, or as remainders by one
/// number of what lies no multiple of it apart. v%2 and (v + 1)%2 do.
bool never_equal(const Expr& a, const Expr& b);

/// Whether a term is data: read from a tensor, or made from another type. What is computed from it in 64 bits may wrap
/// around, unlike index arithmetic; then a sum says nothing of the order of its values.
bool has_data(const Linear& sum);
/// True for a sum that has data and is more than that, and for one with a number that is too large to add to.
bool may_wrap(const Linear& sum);

/// The factors of a product of indices, none of them a constant one; any other expression is its only factor.
std::vector<Expr> factors_of(const Expr& atom);

/// a * b, multiplied out.
Linear multiply(const Linear& a, const Linear& b);

/// Splits `a` into divisor * whole + rest as far as its terms show it. A constant divisor leaves the remainder of every
/// coefficient. Requires a divisor that is not 0.
void split_multiples(const Linear& a, const Linear& divisor, Linear& whole, Linear& rest);

}  // namespace nestwright::ir
