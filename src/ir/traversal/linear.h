// The affine normal form of index expressions: constant + sum of coefficient * atom. The simplifier, bounds inference,
// the verifier, the features of the cost model and address generation all decompose index expressions by it.
// Thread rule: values and pure functions. Units: none; arithmetic on coefficients wraps around in 64 bits.
//
//   to_linear((i + 2)*16 + j%4 - i)    is 32 + 15*[i] + 1*[j%4]
#pragma once

#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {

struct LinearTerm {
  Expr atom;  ///< a variable, or a non-linear expression: a floor division, min, a product of variables
  std::int64_t coefficient;
};

/// Terms are in order of first occurrence, no coefficient is 0 and no two atoms are equal.
struct Linear {
  std::int64_t constant = 0;
  std::vector<LinearTerm> terms;

  bool is_constant() const { return terms.empty(); }
  /// The coefficient of a variable; 0 where the variable is not itself an atom.
  std::int64_t coefficient(const Var& var) const;
  /// Whether `var` occurs inside an atom that is not the variable itself.
  bool is_nonlinear_in(const Var& var) const;
  Linear& add(const Linear& other, std::int64_t scale = 1);
  /// Adds coefficient * atom. Requires an atom; use to_linear() for sums and literals.
  Linear& add_term(const Expr& atom, std::int64_t coefficient);
  /// The sum as an expression, its first positive term first.
  Expr expr() const;
};

/// Requires a scalar integer expression. Products of sums of indices are multiplied out.
Linear to_linear(const Expr& e);

/// Whether two atoms are equal up to the order of factors (n*i and i*n) and up to the normal form of dividends and
/// divisors.
bool same_atom(const Expr& a, const Expr& b);

/// True only where two indices differ for all values of their variables: their difference is a constant other than 0,
/// or they are remainders by one constant whose dividends differ by a constant that is not a multiple of it, as v%2 and
/// (v + 1)%2.
bool never_equal(const Expr& a, const Expr& b);

/// a * b of integers of 64 bits, which wrap around.
std::int64_t mul_wrapping(std::int64_t a, std::int64_t b);

/// Whether an atom depends on data (depends_on_data()) that is not clamped to a range. Sums of such values may wrap
/// around in 64 bits, unlike index arithmetic.
bool has_data(const Linear& sum);
/// Whether the sum may overflow: it contains loaded values among other terms, or a number above 2^60. Comparisons must
/// not be decided by the difference of such sums.
bool may_wrap(const Linear& sum);

/// The factors of a product of indices, which are not constant; any other expression is its only factor.
std::vector<Expr> factors_of(const Expr& atom);

/// a * b, multiplied out.
Linear multiply(const Linear& a, const Linear& b);

/// Whether the constant and all coefficients are multiples of `factor`.
bool is_multiple(const Linear& sum, std::int64_t factor);
/// The sum with coefficient * `replacement` in the place of its term number `term`.
Linear replaced(const Linear& sum, std::size_t term, const Expr& replacement);
/// sum / by. Requires is_multiple(sum, by).
Expr divided(Linear sum, std::int64_t by);

/// Splits `a` into divisor * whole + rest. With a constant divisor `whole` has the terms whose coefficients are
/// multiples of it, with a symbolic one what polynomial division yields. Requires a divisor that is not 0.
void split_multiples(const Linear& a, const Linear& divisor, Linear& whole, Linear& rest);

}  // namespace nestwright::ir
