#include "ir/analysis/injectivity.h"

#include <algorithm>
#include <cstdlib>

#include "ir/analysis/digit_sums.h"
#include "ir/analysis/interval.h"
#include "ir/analysis/lanes.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

/// An index of the access: two iterations can access one element only if their values of `sum` differ by less than
/// `lanes`.
struct IndexSum {
  Linear sum;
  int lanes;
};

/// Proves, loop by loop, that the coordinates of an element determine the iteration that accesses it.
class InjectivityProof {
 public:
  InjectivityProof(const std::vector<Expr>& indices, const std::vector<const For*>& loops) : undetermined_(loops) {
    Ranges known;
    for (const For* loop : loops) known.bind(loop->var, loop->min, loop->extent);
    std::vector<Expr> digits;
    std::vector<Var> lanes;
    for (const Expr& index : indices) {
      coordinates_.push_back({to_linear(at_lane(index, 0)), index.lanes()});
      Linear varying;
      for (const LinearTerm& term : coordinates_.back().sum.terms) {
        if (varies(term.atom)) varying.terms.push_back(term);
      }
      if (varying.is_constant()) continue;
      if (index.lanes() > 1) {
        known.bind(lanes.emplace_back("lane"), Interval{0, index.lanes() - 1});
        varying.add_term(lanes.back(), 1);
      }
      digits.push_back(varying.expr());
    }
    for (DigitSum& found : digit_sums(digits, known)) {
      const auto has_lane = [&](const Var& lane) { return mentions(found.number.expr(), lane); };
      if (std::none_of(lanes.begin(), lanes.end(), has_lane)) coordinates_.push_back({std::move(found.number), 1});
    }
  }

  bool succeeds() {
    for (bool progress = true; progress && !undetermined_.empty();) {
      progress = false;
      for (const IndexSum& coordinate : coordinates_) progress = determine_loops(coordinate) || progress;
    }
    return undetermined_.empty();
  }

 private:
  bool varies(const Expr& atom) const {
    return any_expr(atom, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() != nullptr ||
             (ref != nullptr && std::any_of(undetermined_.begin(), undetermined_.end(),
                                            [&](const For* loop) { return loop->var == ref->var; }));
    });
  }

  /// Removes the loops that the coordinate determines. It determines all loops that it depends on if their iterations
  /// are the digits of a mixed-radix number: the step of each loop exceeds the range of all smaller steps together.
  bool determine_loops(const IndexSum& coordinate) {
    struct Digit {
      std::int64_t step, count;
    };
    std::vector<Digit> digits{{1, coordinate.lanes}};
    std::vector<const For*> determined;
    for (const For* loop : undetermined_) {
      if (coordinate.sum.is_nonlinear_in(loop->var)) return false;
      const std::int64_t step = std::abs(coordinate.sum.coefficient(loop->var));
      if (step == 0) continue;
      const std::int64_t* count = as_const_int(loop->extent);
      if (count == nullptr) return false;
      digits.push_back({step, *count});
      determined.push_back(loop);
    }
    std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.step < b.step; });
    Interval smaller{0, 0};  // of the sum of the digits before
    for (const Digit& digit : digits) {
      if (digit.count > 1 && digit.step <= smaller.hi) return false;
      smaller = add(smaller, scale({0, digit.count - 1}, digit.step));
    }
    std::erase_if(undetermined_, [&](const For* loop) {
      return std::find(determined.begin(), determined.end(), loop) != determined.end();
    });
    return !determined.empty();
  }

  std::vector<IndexSum> coordinates_;
  std::vector<const For*> undetermined_;
};

}  // namespace

bool is_injective(const std::vector<Expr>& indices, const std::vector<const For*>& loops) {
  return InjectivityProof(indices, loops).succeeds();
}

}  // namespace nestwright::ir
