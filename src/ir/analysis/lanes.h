// Vector expressions taken apart, lane by lane. Thread rule: pure functions.
#pragma once

#include <map>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright::ir {

/// A vector load, and the variables that hold its lanes.
struct HeldLoad {
  Expr load;
  std::vector<Var> lanes;
};

/// The variables that hold the lanes of a vector variable.
using LaneVars = std::map<Var, std::vector<Var>>;

/// Lane `lane` of `e` as a scalar expression; a scalar is the same in all.
Expr at_lane(const Expr& e, int lane, const LaneVars& vars = {}, const std::vector<HeldLoad>& held = {});
std::vector<Expr> at_lane(const std::vector<Expr>& indices, int lane, const LaneVars& vars = {},
                          const std::vector<HeldLoad>& held = {});

/// The largest number of lanes of `indices`.
int lanes_of(const std::vector<Expr>& indices);

/// The mask of every lane where all have the same one, as a scalar; undefined where they do not.
Expr common_mask(const Expr& mask);

}  // namespace nestwright::ir
