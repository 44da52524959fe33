#include "ir/analysis/injectivity.h"

#include <algorithm>
#include <cstdlib>

#include "ir/analysis/lanes.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"

namespace nestwright::ir {
namespace {

/// What two iterations have in common where they touch one element: a sum, up to less than `lanes`.
struct Coordinate {
  Linear sum;
  int lanes;
};

/// A quotient or remainder by a constant that is all that differs of a coordinate between iterations.
struct Part {
  BinaryOp op;
  Linear of;
  std::int64_t by;
};

class Telling {
 public:
  Telling(const std::vector<Expr>& indices, const std::vector<const For*>& loops) : pending_(loops) {
    for (const Expr& index : indices) coordinates_.push_back({to_linear(at_lane(index, 0)), index.lanes()});
    // The quotient and the remainder of one number tell the number.
    std::vector<Part> parts;
    for (const Coordinate& coordinate : coordinates_) find_part(coordinate, parts);
    for (const Part& quotient : parts) {
      for (const Part& remainder : parts) {
        if (quotient.op == BinaryOp::kDiv && remainder.op == BinaryOp::kMod && are_of_one(quotient, remainder)) {
          coordinates_.push_back({quotient.of, 1});
        }
      }
    }
  }

  bool all() {
    for (bool told = true; told && !pending_.empty();) {
      told = false;
      for (const Coordinate& coordinate : coordinates_) told = tell(coordinate) || told;
    }
    return pending_.empty();
  }

 private:
  bool varies(const Expr& atom) const {
    return any_expr(atom, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() != nullptr ||
             (ref != nullptr &&
              std::any_of(pending_.begin(), pending_.end(), [&](const For* loop) { return loop->var == ref->var; }));
    });
  }

  void find_part(const Coordinate& coordinate, std::vector<Part>& parts) const {
    const LinearTerm* only = nullptr;
    for (const LinearTerm& term : coordinate.sum.terms) {
      if (!varies(term.atom)) continue;
      if (only != nullptr) return;
      only = &term;
    }
    const auto* n = only != nullptr ? only->atom.as<Binary>() : nullptr;
    if (n == nullptr || (n->op != BinaryOp::kDiv && n->op != BinaryOp::kMod)) return;
    const std::int64_t* by = as_const_int(n->b);
    if (by == nullptr || *by <= 0 || std::abs(only->coefficient) < coordinate.lanes) return;
    parts.push_back({n->op, to_linear(n->a), *by});
  }

  static bool are_of_one(const Part& quotient, const Part& remainder) {
    if (quotient.by != remainder.by) return false;
    Linear distance = quotient.of;
    distance.add(remainder.of, -1);
    return distance.constant % quotient.by == 0 &&
           std::all_of(distance.terms.begin(), distance.terms.end(),
                       [&](const LinearTerm& term) { return term.coefficient % quotient.by == 0; });
  }

  /// Takes out the loops whose iterations the coordinate tells apart, each a digit of it.
  bool tell(const Coordinate& coordinate) {
    struct Digit {
      std::int64_t weight, count;
    };
    std::vector<Digit> digits{{1, coordinate.lanes}};
    std::vector<const For*> told;
    for (const For* loop : pending_) {
      if (coordinate.sum.hides(loop->var)) return false;
      const std::int64_t weight = std::abs(coordinate.sum.coefficient(loop->var));
      if (weight == 0) continue;
      const std::int64_t* count = as_const_int(loop->extent);
      if (count == nullptr) return false;
      digits.push_back({weight, *count});
      told.push_back(loop);
    }
    std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
    std::int64_t reach = 0;
    for (const Digit& digit : digits) {
      if (digit.count > 1 && digit.weight <= reach) return false;
      reach += digit.weight * (digit.count - 1);
    }
    std::erase_if(pending_, [&](const For* loop) { return std::find(told.begin(), told.end(), loop) != told.end(); });
    return !told.empty();
  }

  std::vector<Coordinate> coordinates_;
  std::vector<const For*> pending_;
};

}  // namespace

bool is_injective(const std::vector<Expr>& indices, const std::vector<const For*>& loops) {
  return Telling(indices, loops).all();
}

}  // namespace nestwright::ir
