// Vector expressions taken apart: a kernel's text computes lane by lane, and moves whole vectors where the elements lie
// side by side and aligned. Thread rule: one thread each.
#pragma once

#include <map>
#include <vector>

#include "ir/simplify/simplify.h"

namespace nestwright::codegen {

/// A vector load that the text has done, and what stands for its lanes.
struct HeldLoad {
  ir::Expr load;
  std::vector<ir::Var> lanes;
};

/// Vector variables by what stands for their lanes.
using LaneVars = std::map<ir::Var, std::vector<ir::Var>>;

/// Lane `lane` of `e` as a scalar expression; a scalar is the same in all.
ir::Expr at_lane(const ir::Expr& e, int lane, const LaneVars& vars = {}, const std::vector<HeldLoad>& held = {});
std::vector<ir::Expr> at_lane(const std::vector<ir::Expr>& indices, int lane, const LaneVars& vars = {},
                              const std::vector<HeldLoad>& held = {});

/// The largest number of lanes of `indices`.
int lanes_of(const std::vector<ir::Expr>& indices);

/// The mask of every lane where all have the same one, as a scalar; undefined where they do not.
ir::Expr common_mask(const ir::Expr& mask);

/// Whether one access moves all lanes: they are side by side and the first one is aligned to the size of all.
bool is_one_access(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, const ir::Ranges& ranges);

}  // namespace nestwright::codegen
