// Vectorises the body of one loop: rewrites its statements so that each works on `lanes` lanes at once.
//
//   C[i] = A[i] + 1    ->    C[ramp(i0, 1)] = A[ramp(i0, 1)] + broadcast(1)
//
// Internal to lower/. Thread rule: an object belongs to one thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/simplify/simplify.h"
#include "nestwright/program.h"

namespace nestwright {

class LaneBuilder {
 public:
  /// `lane` is the variable of the lane number in the statements to build; lanes from `active` on are inactive.
  /// `has_masks`: whether the target has masks. `ranges` hold at the loop. `loop` is its name, for messages.
  LaneBuilder(ir::Var lane, int lanes, int active, bool has_masks, ir::Ranges ranges, std::string loop);

  /// The vector form of `s`. Throws LowerError if its lanes cannot run in lockstep.
  ir::Stmt build(const ir::Stmt& s);

 private:
  /// The value of `e` in all lanes: a scalar if it is uniform over the lanes, else a vector.
  ir::Expr vector(const ir::Expr& e);
  ir::Expr vector_index(const ir::Expr& e);
  /// The arguments of a call: scalars if all are uniform, else vectors; and their number of lanes.
  std::pair<std::vector<ir::Expr>, int> arguments(const std::vector<ir::Expr>& scalar);
  ir::Expr broadcast(const ir::Expr& e) const { return e.lanes() == 1 ? ir::make_broadcast(e, lanes_) : e; }
  ir::Expr condition_vector(const ir::Expr& condition);
  std::vector<ir::Expr> indices(const ir::Buffer& buffer, const std::vector<ir::Expr>& scalar, bool& varies);

  ir::Stmt build_store(const ir::Store& store);
  ir::Stmt build_for(const ir::For& loop);
  ir::Stmt build_let(const ir::Let& let);
  ir::Stmt build_allocate(const ir::Allocate& allocate);
  ir::Stmt build_if(const ir::IfThenElse& branch, const ir::Stmt& self);
  ir::Stmt build_varying_if(const ir::Expr& condition, const ir::Stmt& then_case, const ir::Stmt& else_case);
  /// A scalar copy of `s` for each lane.
  ir::Stmt scalarize(const ir::Stmt& s);
  /// Whether `condition` is a bound that holds in all lanes if it holds in the first and the last.
  bool is_monotone(const ir::Expr& condition) const;
  bool varies(const ir::Expr& e) const;
  /// Whether `e` reads a let or a buffer of which each lane has its own.
  bool reads_lane_private(const ir::Expr& e) const;
  /// Whether the scalar indices are within the buffer's bounds even where no lane is active.
  bool is_inside(const ir::Buffer& buffer, const std::vector<ir::Expr>& at) const;
  ir::Expr at_lane(const ir::Expr& e, int lane) const;

  ir::Var lane_;
  int lanes_, active_;
  bool has_masks_;
  ir::Ranges ranges_;
  std::string loop_;
  ir::Expr mask_;                             ///< of the lanes that are active here; undefined: all
  bool conditional_ = false;                  ///< inside a condition that differs between lanes
  std::map<ir::Var, ir::Var> held_;           ///< let-bound variables -> their vectors
  std::map<ir::Buffer, ir::Buffer> private_;  ///< buffers allocated inside the loop -> the same with a lane dimension
};

}  // namespace nestwright
