#include "ir/analysis/digit_sums.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>

#include "ir/analysis/bounds.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // divisors and steps stay below it, far from overflow
constexpr std::size_t kMaxParts = 32;                     // of all indices, and leading digits

/// Whether products of the coefficients and `factor` are far from overflow.
bool may_scale(const Linear& sum, std::int64_t factor) {
  const std::int64_t most = (std::int64_t{1} << 60) / factor;
  return std::abs(sum.constant) <= most && std::all_of(sum.terms.begin(), sum.terms.end(), [&](const LinearTerm& t) {
           return std::abs(t.coefficient) <= most;
         });
}

bool is_same(const Linear& a, const Linear& b) {
  const Linear difference = Linear(a).add(b, -1);
  return difference.is_constant() && difference.constant == 0;
}

/// The quotient or remainder by a positive constant that `e` is; nullptr for other expressions.
const Binary* as_division(const Expr& e, std::int64_t& by) {
  const auto* n = e.as<Binary>();
  if (n == nullptr || e.type() != kIndex || (n->op != BinaryOp::kDiv && n->op != BinaryOp::kMod)) return nullptr;
  const std::int64_t* constant = as_const_int(n->b);
  if (constant == nullptr || *constant <= 0 || *constant >= kLargest) return nullptr;
  by = *constant;
  return n;
}

/// The only division among the terms of `sum`, which has the coefficient 1; its index is `at`.
const Binary* only_division(const Linear& sum, std::size_t& at, std::int64_t& by) {
  const Binary* only = nullptr;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    std::int64_t divisor = 0;
    const Binary* division = as_division(sum.terms[i].atom, divisor);
    if (division == nullptr) continue;
    if (only != nullptr || sum.terms[i].coefficient != 1) return nullptr;
    only = division;
    at = i;
    by = divisor;
  }
  return only;
}

/// inner / by + rest; nullopt where that is no single digit.
std::optional<Digit> quotient(Digit inner, std::int64_t by, const Linear& rest) {
  if (inner.divisor >= kLargest / by) return std::nullopt;
  if (inner.modulus != 0) {
    // x / d % (m * by) / by is x / (d * by) % m.
    if (!rest.is_constant() || rest.constant != 0 || inner.modulus % by != 0) return std::nullopt;
    inner.modulus /= by;
  }
  inner.divisor *= by;
  if (!may_scale(rest, inner.divisor)) return std::nullopt;
  inner.number.add(rest, inner.divisor);
  return inner;
}

/// inner % by + rest; nullopt where that is no single digit.
std::optional<Digit> remainder(Digit inner, std::int64_t by, const Linear& rest) {
  if (!rest.is_constant() || rest.constant != 0 || inner.divisor >= kLargest / by) return std::nullopt;
  if (inner.modulus % by != 0) return std::nullopt;  // 0, no modulus, is a multiple, too
  inner.modulus = by;
  return inner;
}

/// An index, or a part of another one: of its parent, which is value * step + rest.
struct Part {
  Linear value;
  int parent = -1;        ///< number of the part; -1: this is an index
  bool is_top = true;     ///< of its parent; else this is the rest
  std::int64_t step = 1;  ///< is_top
  Linear rest;            ///< is_top
  Digit digit;            ///< that the value is
};

/// The leading digits of a number, number / divisor, which is the sum of weights[p] * value of part p.
struct Leading {
  Linear number;
  std::int64_t divisor = 1;
  std::vector<std::int64_t> weights;
};

class DigitSums {
 public:
  DigitSums(const std::vector<Expr>& indices, const Ranges& known) : known_(known), indices_(indices.size()) {
    // The indices are the first parts.
    for (const Expr& index : indices) {
      parts_.push_back({.value = index.type() == kIndex ? to_linear(index) : Linear{}});
    }
    for (std::size_t p = 0; p < parts_.size() && parts_.size() < kMaxParts; ++p) take_apart(static_cast<int>(p));
    for (std::size_t p = 0; p < parts_.size(); ++p) add_leading(p);
  }

  std::vector<DigitSum> found() && {
    std::vector<DigitSum> found;
    for (std::size_t l = 0; l < leading_.size(); ++l) {
      if (leading_[l].divisor == 1) {
        found.push_back(sum_of_indices(leading_[l]));
        continue;
      }
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        std::optional<Leading> more = continued(leading_[l], p);
        if (more && leading_.size() < kMaxParts && !is_known(*more)) leading_.push_back(std::move(*more));
      }
    }
    return found;
  }

 private:
  /// Adds the parts of a part that is the sum of several.
  void take_apart(int number) {
    const Linear value = parts_[static_cast<std::size_t>(number)].value;
    std::set<std::int64_t, std::greater<>> steps;
    for (const LinearTerm& term : value.terms) {
      if (std::abs(term.coefficient) > 1) steps.insert(std::abs(term.coefficient));
    }
    for (const std::int64_t step : steps) {
      Linear top, rest;
      split_multiples(value, Linear{step, {}}, top, rest);
      if (!is_within(rest, step)) continue;
      parts_.push_back({.value = top, .parent = number, .step = step, .rest = rest});
      if (!rest.is_constant()) parts_.push_back({.value = rest, .parent = number, .is_top = false});
      return;
    }
    if (value.constant == 0 || value.is_constant()) return;
    // x % c + k is a digit plus a constant.
    Linear shifted = value;
    shifted.constant = 0;
    parts_.push_back({.value = shifted, .parent = number, .rest = Linear{value.constant, {}}});
  }

  void add_leading(std::size_t p) {
    Digit& digit = parts_[p].digit;
    digit = digit_of(parts_[p].value.expr());
    // A remainder may leave every value as it is.
    const bool is_leading = digit.modulus == 0 || is_within(digit.number, digit.divisor * digit.modulus);
    if (!is_leading || digit.divisor == 1) return;
    Leading leading{digit.number, digit.divisor, std::vector<std::int64_t>(parts_.size())};
    leading.weights[p] = 1;
    leading_.push_back(std::move(leading));
  }

  bool is_known(const Leading& other) const {
    return std::any_of(leading_.begin(), leading_.end(), [&](const Leading& known) {
      return known.divisor == other.divisor && is_same(known.number, other.number);
    });
  }

  bool is_within(const Linear& sum, std::int64_t below) const {
    if (sum.is_constant()) return sum.constant >= 0 && sum.constant < below;
    const Interval range = bounds(sum.expr(), known_);
    return range.lo >= 0 && range.hi < below;
  }

  /// The leading digits of a number and the next one, which part `p` is; nullopt where it is another one.
  std::optional<Leading> continued(const Leading& leading, std::size_t p) const {
    const Digit& digit = parts_[p].digit;
    std::int64_t modulus = digit.modulus;
    if (modulus == 0) {
      // Without a remainder it is the same as with one by what the leading digits leave.
      if (leading.divisor % digit.divisor != 0 || leading.divisor == digit.divisor) return std::nullopt;
      if (!is_within(digit.number, leading.divisor)) return std::nullopt;
      modulus = leading.divisor / digit.divisor;
    }
    std::optional<Linear> number = joined(leading, digit.number, digit.divisor * modulus);
    if (!number) return std::nullopt;
    Leading more{std::move(*number), digit.divisor, leading.weights};
    for (std::int64_t& weight : more.weights) {
      if (weight >= kLargest / modulus) return std::nullopt;
      weight *= modulus;
    }
    ++more.weights[p];
    return more;
  }

  /// The number x with x / whole = n / divisor for the number n and the divisor of `leading`, and x - y a multiple of
  /// `whole`; nullopt where there is none.
  std::optional<Linear> joined(const Leading& leading, const Linear& y, std::int64_t whole) const {
    const Linear& n = leading.number;
    Linear multiple, rest;
    if (whole % leading.divisor == 0) {
      // x = n * step + rest
      const std::int64_t step = whole / leading.divisor;
      if (!may_scale(n, step)) return std::nullopt;
      split_multiples(Linear(y).add(n, -step), Linear{whole, {}}, multiple, rest);
      if (!is_within(rest, step)) return std::nullopt;
      return Linear(y).add(multiple, -whole);
    }
    if (leading.divisor % whole != 0) return std::nullopt;
    // n = x * step + rest
    const std::int64_t step = leading.divisor / whole;
    if (!may_scale(y, step)) return std::nullopt;
    split_multiples(Linear(n).add(y, -step), Linear{leading.divisor, {}}, multiple, rest);
    if (!is_within(rest, step)) return std::nullopt;
    return Linear(y).add(multiple, whole);
  }

  /// Replaces parts by the indices that they are parts of, the last ones first.
  DigitSum sum_of_indices(const Leading& leading) const {
    DigitSum result{leading.number, leading.weights, leading.number};
    for (std::size_t p = parts_.size(); p-- > indices_;) {
      const std::int64_t weight = result.weights[p];
      if (weight == 0) continue;
      const Part& part = parts_[p];
      const bool is_scalable = part.is_top && may_scale(result.sum, part.step) && may_scale(part.rest, weight) &&
                               std::all_of(result.weights.begin(), result.weights.end(),
                                           [&](std::int64_t each) { return each < kLargest / part.step; });
      if (!is_scalable) return {leading.number, {}, {}};
      for (std::int64_t& each : result.weights) each *= part.step;
      result.sum = Linear().add(result.sum, part.step).add(part.rest, weight);
      result.weights[p] = 0;
      result.weights[static_cast<std::size_t>(part.parent)] += weight;
    }
    result.weights.resize(indices_);
    return result;
  }

  const Ranges& known_;
  const std::size_t indices_;
  std::vector<Part> parts_;
  std::vector<Leading> leading_;
};

}  // namespace

Digit digit_of(const Expr& index) {
  const Linear sum = to_linear(index);
  const Digit itself{sum, 1, 0};
  std::size_t at = 0;
  std::int64_t by = 0;
  const Binary* division = has_data(sum) ? nullptr : only_division(sum, at, by);
  if (division == nullptr) return itself;
  Linear rest = sum;
  rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(at));
  const bool divides = division->op == BinaryOp::kDiv;
  return (divides ? quotient : remainder)(digit_of(division->a), by, rest).value_or(itself);
}

std::vector<DigitSum> digit_sums(const std::vector<Expr>& indices, const Ranges& known) {
  return DigitSums(indices, known).found();
}

}  // namespace nestwright::ir
