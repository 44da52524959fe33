// The body of one vector: turns the statements of a vectorised loop into statements on `lanes` lanes at once.
// Thread rule: one thread each.
#pragma once

#include <map>
#include <string>

#include "ir/core/stmt.h"
#include "ir/simplify/simplify.h"

namespace nestwright {

class LaneBuilder {
 public:
  /// `lane` stands for the number of the lane in what is built; lanes from `active` on do nothing. `ranges`: what is
  /// known where the loop stands. `loop` is its name, for messages.
  LaneBuilder(ir::Var lane, int lanes, int active, bool has_masks, ir::Ranges ranges, std::string loop);

  /// Throws LowerError for what cannot be done in lockstep.
  ir::Stmt build(const ir::Stmt& s);

 private:
  /// A scalar where it is the same in all lanes, else a vector.
  ir::Expr vector(const ir::Expr& e);
  ir::Expr vector_index(const ir::Expr& e);
  ir::Expr broadcast(const ir::Expr& e) const { return e.lanes() == 1 ? ir::make_broadcast(e, lanes_) : e; }
  ir::Expr condition_vector(const ir::Expr& condition);
  std::vector<ir::Expr> indices(const ir::Buffer& buffer, const std::vector<ir::Expr>& scalar, bool& varies);

  ir::Stmt build_store(const ir::Store& store);
  ir::Stmt build_for(const ir::For& loop);
  ir::Stmt build_let(const ir::Let& let);
  ir::Stmt build_allocate(const ir::Allocate& allocate);
  ir::Stmt build_if(const ir::IfThenElse& branch, const ir::Stmt& self);
  ir::Stmt build_varying_if(const ir::Expr& condition, const ir::Stmt& then_case, const ir::Stmt& else_case);
  /// One copy of `s` a lane.
  ir::Stmt one_by_one(const ir::Stmt& s);
  /// Whether `condition` is a bound that holds in all lanes where it holds in the first and the last.
  bool is_monotone(const ir::Expr& condition) const;
  bool varies(const ir::Expr& e) const;
  bool mentions_held(const ir::Expr& e) const;
  ir::Expr at_lane(const ir::Expr& e, int lane) const;

  ir::Var lane_;
  int lanes_, active_;
  bool has_masks_;
  ir::Ranges ranges_;
  std::string loop_;
  ir::Expr mask_;                             ///< of the lanes that are active here; undefined: all
  bool conditional_ = false;                  ///< whether a condition that differs between lanes is around
  std::map<ir::Var, ir::Var> held_;           ///< let-bound variables -> those that hold them in all lanes
  std::map<ir::Buffer, ir::Buffer> private_;  ///< allocated inside the loop -> with an element a lane
};

}  // namespace nestwright
