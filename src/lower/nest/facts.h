// What holds at a point of the nest that is being built: the scopes of one ir::Ranges, and the values of the variables
// that lets of the nest define. Internal to lower/. Units: none, all are indices.
//
// Nests are built depth first, so scopes are opened and closed by hand: mark(), add facts, build the inside,
// reset(mark).
// Thread rule: one object belongs to one lowering.
#pragma once

#include "ir/analysis/bounds.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

class Facts {
 public:
  /// `var` lies in `range`, which replaces what was known about it.
  void bind(const ir::Var& var, ir::Interval range) { ranges_.set_interval(var, range); }
  /// A loop variable: 0 <= var < extent, which may be symbolic.
  void bind_loop(const ir::Var& var, const ir::Expr& extent);
  /// A let binds `var` to `value`, which lies in `range`. The value outlives the scope, as a variable is bound once.
  void define(const ir::Var& var, const ir::Expr& value, ir::Interval range);
  /// Assumes that a < b.
  void assume_less(const ir::Expr& a, const ir::Expr& b);

  using Mark = ir::Ranges::Mark;
  Mark mark() const { return ranges_.mark(); }
  void reset(Mark mark) { ranges_.reset(mark); }

  /// Bounds by the intervals of the variables; conditions that were assumed do not narrow them.
  ir::Interval range(const ir::Expr& e) const { return ir::interval_bounds(e, ranges_); }
  ir::Interval range(const ir::Linear& e) const { return ir::interval_bounds(e, ranges_); }
  /// True only if a < b is proved: from intervals or, with lets replaced by their values, by ir::at_least() at effort
  /// 1, which uses one assumed condition or one rewriting step. A guard that needs a stronger proof is kept.
  bool proves_less(const ir::Expr& a, const ir::Expr& b) const;
  /// `e` with the variables of lets replaced by their values, in terms of loop variables: in this form the position
  /// inside a tile and the tile's start cancel out.
  ir::Expr expanded(const ir::Expr& e) const;

 private:
  ir::Ranges ranges_;
  ir::Substitution definitions_;
};

}  // namespace nestwright
