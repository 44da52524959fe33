// Recovers the variable of a fused loop from quotients and remainders in indices: two accesses that agree in both agree
// in the variable.
#include <algorithm>
#include <set>

#include "ir/analysis/bounds.h"
#include "ir/core/equal.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"
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

/// The number whose digits are the indices, with the dimensions in `order` from the most significant one on.
Expr number_of(const Access& access, const std::vector<std::size_t>& order) {
  Expr number = access.indices[order.front()];
  for (std::size_t d = 1; d < order.size(); ++d) number = number * access.shape[order[d]] + access.indices[order[d]];
  return simplify(number, *access.known);
}

}  // namespace

bool add_linearized_index(Access& first, Access& second, const Var& var) {
  constexpr std::size_t kMaxDigits = 5;
  std::set<Var> related;  // the variables of the indices that depend on `var`
  for (const Expr& index : first.indices) {
    if (mentions(index, var)) related.merge(variables_of(index));
  }
  const auto is_related = [&](const Expr& e) {
    const auto* ref = e.as<VarRef>();
    return ref != nullptr && related.contains(ref->var);
  };
  std::vector<std::size_t> order;
  bool any = false;
  for (std::size_t d = 0; d < first.shape.size(); ++d) {
    if (!any_expr(first.indices[d], is_related)) continue;
    if (as_const_int(first.shape[d]) == nullptr) return false;
    order.push_back(d);
    any = any || divides(first.indices[d]);
  }
  if (!any || order.size() < 2 || order.size() > kMaxDigits) return false;
  do {
    const Expr of_first = number_of(first, order);
    if (divides(of_first)) continue;
    const Expr of_second = number_of(second, order);
    if (divides(of_second)) continue;
    first.indices.push_back(of_first);
    second.indices.push_back(of_second);
    return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
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
