// Scalarisation: the value of one lane of a vector expression.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {

/// A vector load that was executed before, and the scalar variables that hold its lanes.
struct HeldLoad {
  Expr load;
  std::vector<Var> lanes;
};

/// The scalar variables that hold the lanes of each vector variable.
using LaneVars = std::map<Var, std::vector<Var>>;

/// Lane `lane` of `e` as a scalar expression; a scalar has the same value in every lane.
Expr at_lane(const Expr& e, int lane, const LaneVars& vars = {}, const std::vector<HeldLoad>& held = {});
std::vector<Expr> at_lane(const std::vector<Expr>& indices, int lane, const LaneVars& vars = {},
                          const std::vector<HeldLoad>& held = {});

/// The largest number of lanes among `indices`.
int lanes_of(const std::vector<Expr>& indices);

/// The scalar that a uniform mask broadcasts; undefined where lanes have different masks.
Expr common_mask(const Expr& mask);

}  // namespace nestwright::ir
