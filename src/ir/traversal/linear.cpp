#include "ir/traversal/linear.h"

#include <algorithm>
#include <limits>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

// Index arithmetic is required not to overflow; other integers wrap around, as the IR defines.
std::int64_t add_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Whether the sum is one atom and nothing else.
bool is_lone(const Linear& sum) { return sum.constant == 0 && sum.terms.size() == 1 && sum.terms[0].coefficient == 1; }

bool is_product(const Expr& e) {
  const auto* n = e.as<Binary>();
  return n && n->op == BinaryOp::kMul && e.type() == kIndex;
}

Expr product_of(const std::vector<Expr>& factors) {
  Expr product;
  for (const Expr& factor : factors)
    product = product.defined() ? make_binary(BinaryOp::kMul, product, factor) : factor;
  return product;
}

// Removes the factors of `divisor` from `factors`; false where one is missing.
bool take_out(const Expr& divisor, std::vector<Expr>& factors) {
  for (const Expr& wanted : factors_of(divisor)) {
    const auto found =
        std::find_if(factors.begin(), factors.end(), [&](const Expr& factor) { return same_atom(factor, wanted); });
    if (found == factors.end()) return false;
    factors.erase(found);
  }
  return true;
}

bool same_sum(const Expr& a, const Expr& b) {
  if (a.as<VarRef>() && b.as<VarRef>()) return equal(a, b);
  Linear difference = to_linear(a);
  difference.add(to_linear(b), -1);
  return difference.is_constant() && difference.constant == 0;
}

void accumulate(Linear& sum, const Expr& e, std::int64_t scale);

// Adds scale * a * b to `sum` if that is a sum of other atoms than a * b. Each factor is taken apart only once, because
// nested products would otherwise take exponential time.
bool accumulate_product(Linear& sum, const Expr& a, const Expr& b, std::int64_t scale) {
  if (const std::int64_t* factor = as_const_int(b)) {
    accumulate(sum, a, mul_wrapping(scale, *factor));
    return true;
  }
  if (const std::int64_t* factor = as_const_int(a)) {
    accumulate(sum, b, mul_wrapping(scale, *factor));
    return true;
  }
  const Linear of_a = to_linear(a), of_b = to_linear(b);
  if (of_b.is_constant()) {  // constant as a sum, such as (i + 2) - i
    sum.add(of_a, mul_wrapping(scale, of_b.constant));
    return true;
  }
  if (of_a.is_constant()) {
    sum.add(of_b, mul_wrapping(scale, of_a.constant));
    return true;
  }
  const Linear product = multiply(of_a, of_b);
  if (is_lone(product)) return false;
  sum.add(product, scale);
  return true;
}

// Adds scale * e to `sum`.
void accumulate(Linear& sum, const Expr& e, std::int64_t scale) {
  if (const auto* imm = e.as<IntImm>()) {
    sum.constant = add_wrapping(sum.constant, mul_wrapping(imm->value, scale));
    return;
  }
  // Sums of other integer types may wrap around, so they are atoms.
  if (const auto* n = e.as<Binary>(); n && e.type() == kIndex) {
    switch (n->op) {
      case BinaryOp::kAdd:
        accumulate(sum, n->a, scale);
        accumulate(sum, n->b, scale);
        return;
      case BinaryOp::kSub:
        accumulate(sum, n->a, scale);
        accumulate(sum, n->b, mul_wrapping(scale, -1));
        return;
      case BinaryOp::kMul:
        if (accumulate_product(sum, n->a, n->b, scale)) return;
        break;
      case BinaryOp::kDiv:
      case BinaryOp::kMod:
      case BinaryOp::kMin:
      case BinaryOp::kMax:
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kGt:
      case BinaryOp::kGe:
      case BinaryOp::kAnd:
      case BinaryOp::kOr:
        break;
    }
  }
  sum.add_term(e, scale);
}

Expr scaled(const Expr& atom, std::int64_t coefficient) {
  return coefficient == 1 ? atom : make_binary(BinaryOp::kMul, atom, make_int(coefficient, atom.type()));
}

constexpr std::int64_t kLarge = std::int64_t{1} << 60;
bool is_large(std::int64_t n) { return n > kLarge || n < -kLarge; }

// The other operand of `op` and a number that is not large; undefined for anything else.
Expr bounded_operand(const Expr& e, BinaryOp op) {
  const auto* n = e.as<Binary>();
  if (!n || n->op != op) return {};
  const std::int64_t *a = as_const_int(n->a), *b = as_const_int(n->b);
  if (a && !is_large(*a)) return n->b;
  return b && !is_large(*b) ? n->a : Expr();
}

// min(max(x, c), d) or max(min(x, d), c): bounded, whatever x is.
bool is_clamped(const Expr& atom) {
  const Expr from_above = bounded_operand(atom, BinaryOp::kMin), from_below = bounded_operand(atom, BinaryOp::kMax);
  return (from_above.defined() && bounded_operand(from_above, BinaryOp::kMax).defined()) ||
         (from_below.defined() && bounded_operand(from_below, BinaryOp::kMin).defined());
}

// x/c or x%c of a sum x that cannot wrap around.
bool is_quotient_of_bounded(const Expr& atom) {
  const auto* n = atom.as<Binary>();
  if (!n || (n->op != BinaryOp::kDiv && n->op != BinaryOp::kMod)) return false;
  return as_const_int(n->b) != nullptr && !has_data(to_linear(n->a));
}

bool is_data(const Expr& atom) {
  if (atom.as<VarRef>() || is_clamped(atom) || is_quotient_of_bounded(atom)) return false;
  return depends_on_data(atom);
}

}  // namespace

bool has_data(const Linear& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(), [](const LinearTerm& term) { return is_data(term.atom); });
}

bool may_wrap(const Linear& sum) {
  if (is_large(sum.constant) && !sum.is_constant()) return true;
  for (const LinearTerm& term : sum.terms)
    if (is_large(term.coefficient)) return true;
  return !is_lone(sum) && has_data(sum);
}

std::int64_t mul_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t Linear::coefficient(const Var& var) const {
  for (const LinearTerm& term : terms) {
    if (is_var(term.atom, var)) return term.coefficient;
  }
  return 0;
}

bool Linear::is_nonlinear_in(const Var& var) const {
  return std::any_of(terms.begin(), terms.end(), [&](const LinearTerm& term) {
    return term.atom.as<VarRef>() == nullptr && mentions(term.atom, var);
  });
}

Linear& Linear::add_term(const Expr& atom, std::int64_t coefficient) {
  if (coefficient == 0) return *this;
  for (auto term = terms.begin(); term != terms.end(); ++term) {
    if (!same_atom(term->atom, atom)) continue;
    term->coefficient = add_wrapping(term->coefficient, coefficient);
    if (term->coefficient == 0) terms.erase(term);
    return *this;
  }
  constexpr std::size_t kUsualTerms = 4;  // two loops per dimension and the start of a tile
  if (terms.empty()) terms.reserve(kUsualTerms);
  terms.push_back({atom, coefficient});
  return *this;
}

Linear& Linear::add(const Linear& other, std::int64_t scale) {
  constant = add_wrapping(constant, mul_wrapping(other.constant, scale));
  for (const LinearTerm& term : other.terms) add_term(term.atom, mul_wrapping(term.coefficient, scale));
  return *this;
}

Expr Linear::expr() const {
  if (terms.empty()) return make_int(constant, kIndex);
  const Type type = terms.front().atom.type();
  // A positive term comes first: y - x, 5 - x. Only a sum without one starts with x*-1.
  std::size_t first = 0;
  while (first < terms.size() && terms[first].coefficient < 0) ++first;
  Expr sum;
  std::int64_t rest = constant;
  if (first < terms.size()) {
    sum = scaled(terms[first].atom, terms[first].coefficient);
  } else if (constant != 0) {
    sum = make_int(constant, type);
    rest = 0;
  } else {
    first = 0;
    sum = scaled(terms[0].atom, terms[0].coefficient);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i == first) continue;
    const LinearTerm& term = terms[i];
    const bool minus = term.coefficient < 0 && term.coefficient != std::numeric_limits<std::int64_t>::min();
    sum = make_binary(minus ? BinaryOp::kSub : BinaryOp::kAdd, std::move(sum),
                      scaled(term.atom, minus ? -term.coefficient : term.coefficient));
  }
  if (rest == 0) return sum;
  const bool minus = rest < 0 && rest != std::numeric_limits<std::int64_t>::min();
  return make_binary(minus ? BinaryOp::kSub : BinaryOp::kAdd, std::move(sum), make_int(minus ? -rest : rest, type));
}

Linear to_linear(const Expr& e) {
  Linear sum;
  accumulate(sum, e, 1);
  return sum;
}

bool same_atom(const Expr& a, const Expr& b) {
  if (equal(a, b)) return true;
  const auto *x = a.as<Binary>(), *y = b.as<Binary>();
  if (!x || !y || x->op != y->op || a.type() != kIndex || b.type() != kIndex) return false;
  if (x->op == BinaryOp::kMul) {
    std::vector<Expr> rest = factors_of(a);
    return take_out(b, rest) && rest.empty();
  }
  if (x->op != BinaryOp::kDiv && x->op != BinaryOp::kMod) return false;
  const std::int64_t *c = as_const_int(x->b), *d = as_const_int(y->b);
  if (c || d ? !c || !d || *c != *d : !same_sum(x->b, y->b)) return false;
  return same_sum(x->a, y->a);
}

bool never_equal(const Expr& a, const Expr& b) {
  if (a.type() != kIndex || b.type() != kIndex) return false;
  const Linear difference = to_linear(a).add(to_linear(b), -1);
  if (difference.is_constant()) return difference.constant != 0;
  const auto *x = a.as<Binary>(), *y = b.as<Binary>();
  if (!x || !y || x->op != BinaryOp::kMod || y->op != BinaryOp::kMod) return false;
  const std::int64_t *m = as_const_int(x->b), *n = as_const_int(y->b);
  if (!m || !n || *m != *n || *m <= 0) return false;
  const Linear dividend = to_linear(x->a), other = to_linear(y->a);
  // A difference that wraps around does not keep its remainder.
  if (may_wrap(dividend) || may_wrap(other)) return false;
  const Linear apart = Linear(dividend).add(other, -1);
  return apart.is_constant() && apart.constant % *m != 0;
}

std::vector<Expr> factors_of(const Expr& atom) {
  if (!is_product(atom)) return {atom};
  const auto& n = *atom.as<Binary>();
  std::vector<Expr> factors = factors_of(n.a);
  for (Expr& factor : factors_of(n.b)) factors.push_back(std::move(factor));
  return factors;
}

Linear multiply(const Linear& a, const Linear& b) {
  constexpr std::size_t kMaxProducts = 16;  // a longer sum is less useful than the product
  Linear product;
  if (a.terms.size() * b.terms.size() > kMaxProducts)
    return product.add_term(make_binary(BinaryOp::kMul, a.expr(), b.expr()), 1);
  product.add(b, a.constant);
  for (const LinearTerm& x : a.terms) {
    product.add_term(x.atom, mul_wrapping(x.coefficient, b.constant));
    for (const LinearTerm& y : b.terms) {
      std::vector<Expr> factors = factors_of(x.atom);
      for (Expr& factor : factors_of(y.atom)) factors.push_back(std::move(factor));
      product.add_term(product_of(factors), mul_wrapping(x.coefficient, y.coefficient));
    }
  }
  return product;
}

bool is_multiple(const Linear& sum, std::int64_t factor) {
  return sum.constant % factor == 0 && std::all_of(sum.terms.begin(), sum.terms.end(), [&](const LinearTerm& term) {
           return term.coefficient % factor == 0;
         });
}

Linear replaced(const Linear& sum, std::size_t term, const Expr& replacement) {
  Linear result = sum;
  result.terms.erase(result.terms.begin() + static_cast<std::ptrdiff_t>(term));
  return result.add(to_linear(replacement), sum.terms[term].coefficient);
}

Expr divided(Linear sum, std::int64_t by) {
  sum.constant /= by;
  for (LinearTerm& term : sum.terms) term.coefficient /= by;
  return sum.expr();
}

void split_multiples(const Linear& a, const Linear& divisor, Linear& whole, Linear& rest) {
  if (divisor.is_constant()) {
    const std::int64_t factor = divisor.constant;
    whole.constant = floor_div(a.constant, factor);
    rest.constant = floor_mod(a.constant, factor);
    for (const LinearTerm& term : a.terms) {
      const bool multiple = term.coefficient % factor == 0;
      Linear& side = multiple ? whole : rest;
      side.terms.push_back({term.atom, multiple ? term.coefficient / factor : term.coefficient});
    }
    return;
  }
  // Polynomial division by the leading term of the divisor, as long as it leaves fewer terms.
  const LinearTerm& lead = divisor.terms.front();
  rest = a;
  for (std::size_t t = 0; t < rest.terms.size();) {
    const LinearTerm term = rest.terms[t++];
    if (term.coefficient % lead.coefficient != 0) continue;
    std::vector<Expr> factors = factors_of(term.atom);
    if (!take_out(lead.atom, factors)) continue;
    Linear times;
    const std::int64_t coefficient = term.coefficient / lead.coefficient;
    factors.empty() ? void(times.constant = coefficient) : void(times.add_term(product_of(factors), coefficient));
    Linear less = rest;
    less.add(multiply(divisor, times), -1);
    if (less.terms.size() >= rest.terms.size()) continue;
    rest = std::move(less);
    whole.add(times);
    t = 0;
  }
}

}  // namespace nestwright::ir
