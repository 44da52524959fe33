// What holds at a point of the nest that is being built: ranges of the loop variables, conditions that guard the point,
// and what the let-bound variables stand for. Internal to lower/. Units: none, all are indices.
//
// Everything is scoped by hand, because nests are built depth first: mark(), add facts, build the inside, reset(mark).
// Thread rule: one object belongs to one lowering.
#pragma once

#include <vector>

#include "ir/analysis/interval.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"

namespace nestwright {

class Facts {
 public:
  /// `var` lies in [lo, hi].
  void bind(const ir::Var& var, ir::Interval range) { ranges_.push_back({var, range}); }
  /// A loop variable: 0 <= var < extent, which may be symbolic.
  void bind_loop(const ir::Var& var, const ir::Expr& extent);
  /// `var` is bound to `value`, of which it lies in `range`.
  void define(const ir::Var& var, const ir::Expr& value, ir::Interval range);
  /// a < b holds.
  void assume_less(const ir::Expr& a, const ir::Expr& b);

  struct Mark {
    std::size_t ranges, conditions;
  };
  Mark mark() const { return {ranges_.size(), conditions_.size()}; }
  void reset(Mark mark);

  ir::Interval range(const ir::Expr& e) const;
  ir::Interval range(const ir::Linear& e) const;
  /// True only where a < b follows from what is known.
  bool proves_less(const ir::Expr& a, const ir::Expr& b) const;
  /// `e` with let-bound variables replaced by what they stand for, in terms of loop variables: in this form the
  /// position inside a tile and the tile's start cancel out.
  ir::Expr expanded(const ir::Expr& e) const;

 private:
  struct Bound {
    ir::Var var;
    ir::Interval range;
  };
  std::vector<Bound> ranges_;
  std::vector<ir::Linear> conditions_;  ///< each at least 1
  ir::Substitution definitions_;
};

}  // namespace nestwright
