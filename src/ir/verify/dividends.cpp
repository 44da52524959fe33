// Recovers the variable of a fused loop from quotients and remainders in indices: two accesses that agree in both agree
// in the variable.
#include <algorithm>
#include <optional>

#include "ir/analysis/bounds.h"
#include "ir/analysis/digit_sums.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

const Binary* as_division(const Expr& index, BinaryOp op) {
  const auto* binary = index.as<Binary>();
  return binary != nullptr && binary->op == op ? binary : nullptr;
}

/// x where the indices are x / c and x % c, or y / (b * c) and y / b % c with x = y / b, since a quotient of a quotient
/// is simplified to one. Undefined for other indices.
Expr dividend_of(const Expr& index, const Expr& other) {
  const Binary *quotient = as_division(index, BinaryOp::kDiv), *remainder = as_division(other, BinaryOp::kMod);
  if (quotient == nullptr || remainder == nullptr) return {};
  if (equal(quotient->a, remainder->a) && equal(quotient->b, remainder->b)) return quotient->a;
  const Binary* inner = as_division(remainder->a, BinaryOp::kDiv);
  if (inner == nullptr || !equal(inner->a, quotient->a)) return {};
  const std::int64_t *whole = as_const_int(quotient->b), *outer = as_const_int(remainder->b),
                     *part = as_const_int(inner->b);
  const bool is_nested = whole != nullptr && outer != nullptr && part != nullptr && *whole == *outer * *part;
  return is_nested ? remainder->a : Expr();
}

bool contains(const std::vector<Expr>& indices, const Expr& e) {
  return std::any_of(indices.begin(), indices.end(), [&](const Expr& index) { return equal(index, e); });
}

/// x where the index is x * factor + r with 0 <= r < factor; undefined for other indices.
Expr leading_digit(const Expr& index, std::int64_t factor, const Ranges& ranges) {
  Linear whole = to_linear(index), rest{whole.constant, {}};
  Expr digit;
  for (LinearTerm& term : whole.terms) {
    if (term.coefficient == factor && !digit.defined()) {
      digit = term.atom;
    } else {
      rest.terms.push_back(std::move(term));
    }
  }
  const Interval range = rest.is_constant() ? Interval{rest.constant, rest.constant} : bounds(rest.expr(), ranges);
  return range.lo >= 0 && range.hi < factor ? digit : Expr();
}

/// The largest coefficient of a sum; 0 where it is below 2.
std::int64_t leading_factor(const Expr& index) {
  std::int64_t largest = 0;
  for (const LinearTerm& term : to_linear(index).terms) largest = std::max(largest, term.coefficient);
  return largest > 1 ? largest : 0;
}

bool divides(const Expr& e) {
  return any_expr(e, [&](const Expr& part) {
    return as_division(part, BinaryOp::kDiv) != nullptr || as_division(part, BinaryOp::kMod) != nullptr;
  });
}

/// The sum of weights[d] * indices[d], of those indices that are digits of one of `sums` as it has them; nullopt where
/// another one is a quotient or a remainder.
std::optional<Linear> weighted_sum(const std::vector<Expr>& indices, const std::vector<std::int64_t>& weights,
                                   const DigitSum& digits) {
  Linear sum;
  std::int64_t scale = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Linear value = to_linear(indices[d]);
    const std::int64_t of_digit = digits.weights.empty() ? 0 : digits.weights[d];
    if (of_digit == 0 || value.is_constant()) {
      if (weights[d] != 0 && divides(indices[d])) return std::nullopt;
      sum.add(value, weights[d]);
      continue;
    }
    if (scale == 0) scale = weights[d] / of_digit;
    if (scale <= 0 || scale * of_digit != weights[d]) return std::nullopt;
  }
  // The digits' sum has constant indices, too.
  for (std::size_t d = 0; d < indices.size() && scale != 0; ++d) {
    const std::int64_t* constant = as_const_int(indices[d]);
    if (constant != nullptr && digits.weights[d] != 0) sum.constant -= scale * digits.weights[d] * *constant;
  }
  return scale == 0 ? sum : sum.add(digits.sum, scale);
}

/// The same with the first of `sums` that has its digits, else without any.
std::optional<Linear> weighted_sum(const std::vector<Expr>& indices, const std::vector<std::int64_t>& weights,
                                   const std::vector<DigitSum>& sums) {
  for (const DigitSum& digits : sums) {
    if (std::optional<Linear> sum = weighted_sum(indices, weights, digits)) return sum;
  }
  return weighted_sum(indices, weights, DigitSum{});
}

}  // namespace

void add_numbers(Access& first, Access& second) {
  const bool is_same = first.known == second.known &&
                       std::equal(first.indices.begin(), first.indices.end(), second.indices.begin(),
                                  second.indices.end(), [](const Expr& a, const Expr& b) { return equal(a, b); });
  const std::vector<Expr> of_first = first.indices, of_second = second.indices;
  const std::vector<DigitSum> sums = digit_sums(of_first, *first.known);
  if (is_same) {
    for (const DigitSum& sum : sums) {
      first.indices.push_back(sum.number.expr());
      second.indices.push_back(sum.number.expr());
    }
    return;
  }
  const std::vector<DigitSum> others = digit_sums(of_second, *second.known);
  for (const std::vector<DigitSum>* side : {&sums, &others}) {
    for (const DigitSum& sum : *side) {
      if (sum.weights.empty()) continue;
      const std::optional<Linear> a = weighted_sum(of_first, sum.weights, sums),
                                  b = weighted_sum(of_second, sum.weights, others);
      if (!a || !b) continue;
      first.indices.push_back(a->expr());
      second.indices.push_back(b->expr());
    }
  }
}

void add_quotients(Access& first, Access& second) {
  const std::size_t rank = first.indices.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t factor = leading_factor(first.indices[d]);
    if (factor == 0 || leading_factor(second.indices[d]) != factor) continue;
    const Expr of_first = leading_digit(first.indices[d], factor, *first.known),
               of_second = leading_digit(second.indices[d], factor, *second.known);
    if (!of_first.defined() || !of_second.defined()) continue;
    first.indices.push_back(of_first);
    second.indices.push_back(of_second);
  }
}

bool add_dividends(std::vector<Expr>& first, std::vector<Expr>& second) {
  const std::size_t rank = first.size();
  for (std::size_t j = 0; j < first.size(); ++j) {  // a dividend may itself be a quotient or a remainder of another one
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
        const Expr of_first = dividend_of(first[a], first[b]), of_second = dividend_of(second[a], second[b]);
        if (!of_first.defined() || !of_second.defined() || (contains(first, of_first) && contains(second, of_second)))
          continue;
        first.push_back(of_first);
        if (&first != &second) second.push_back(of_second);
      }
    }
  }
  return first.size() > rank;
}

}  // namespace nestwright::ir
