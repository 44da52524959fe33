#include "ir/analysis/injectivity.h"

#include <algorithm>
#include <cstdlib>

#include "ir/analysis/interval.h"
#include "ir/analysis/lanes.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"

namespace nestwright::ir {
namespace {

/// An index of the access: two iterations can access one element only if their values of `sum` differ by less than
/// `lanes`.
struct Coordinate {
  Linear sum;
  int lanes;
};

/// The only term of a coordinate that differs between iterations, where it is a quotient or a remainder by a constant.
struct Division {
  BinaryOp op;
  Linear dividend;
  std::int64_t divisor;
};

/// Proves, loop by loop, that the coordinates of an element determine the iteration that accesses it.
class InjectivityProof {
 public:
  InjectivityProof(const std::vector<Expr>& indices, const std::vector<const For*>& loops) : undetermined_(loops) {
    for (const Expr& index : indices) coordinates_.push_back({to_linear(at_lane(index, 0)), index.lanes()});
    // A quotient and a remainder of one dividend determine the dividend.
    std::vector<Division> divisions;
    for (const Coordinate& coordinate : coordinates_) find_division(coordinate, divisions);
    for (const Division& quotient : divisions) {
      for (const Division& remainder : divisions) {
        if (quotient.op == BinaryOp::kDiv && remainder.op == BinaryOp::kMod && have_one_dividend(quotient, remainder)) {
          coordinates_.push_back({quotient.dividend, 1});
        }
      }
    }
  }

  bool succeeds() {
    for (bool progress = true; progress && !undetermined_.empty();) {
      progress = false;
      for (const Coordinate& coordinate : coordinates_) progress = determine_loops(coordinate) || progress;
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

  void find_division(const Coordinate& coordinate, std::vector<Division>& divisions) const {
    const LinearTerm* only = nullptr;
    for (const LinearTerm& term : coordinate.sum.terms) {
      if (!varies(term.atom)) continue;
      if (only != nullptr) return;
      only = &term;
    }
    const auto* n = only != nullptr ? only->atom.as<Binary>() : nullptr;
    if (n == nullptr || (n->op != BinaryOp::kDiv && n->op != BinaryOp::kMod)) return;
    const std::int64_t* divisor = as_const_int(n->b);
    if (divisor == nullptr || *divisor <= 0 || std::abs(only->coefficient) < coordinate.lanes) return;
    divisions.push_back({n->op, to_linear(n->a), *divisor});
  }

  /// Whether the dividends are equal up to a multiple of the divisor, which leaves the remainder as it is.
  static bool have_one_dividend(const Division& quotient, const Division& remainder) {
    if (quotient.divisor != remainder.divisor) return false;
    Linear difference = quotient.dividend;
    return is_multiple(difference.add(remainder.dividend, -1), quotient.divisor);
  }

  /// Removes the loops that the coordinate determines. It determines all loops that it depends on if their iterations
  /// are the digits of a mixed-radix number: the step of each loop exceeds the range of all smaller steps together.
  bool determine_loops(const Coordinate& coordinate) {
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

  std::vector<Coordinate> coordinates_;
  std::vector<const For*> undetermined_;
};

}  // namespace

bool is_injective(const std::vector<Expr>& indices, const std::vector<const For*>& loops) {
  return InjectivityProof(indices, loops).succeeds();
}

}  // namespace nestwright::ir
