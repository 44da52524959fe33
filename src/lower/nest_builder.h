// From a schedule to its loop nest, with regions, storage, initialisation of reductions, guards, and a
// branch for the tail of every partitioned split. Internal to lower/.
//
// Nests are built depth first. After a loop is opened, nest_tails.cpp settles every axis whose value has become known:
// it decodes fused loops, branches on pivots and guards what may overshoot, as far out as the value allows. Below a
// branch everything is built anew with what is known there, so that a tail's inner loops have their exact extents and
// no guards. Thread rule: one object belongs to one lowering.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/nest_notes.h"
#include "lower/regions.h"
#include "lower/storage.h"

namespace nestwright {

/// A loop around the point being built that is bound to an index of a thread or a block.
struct BoundLoop {
  ir::LoopKind kind;
  ir::Var var;
  ir::Expr extent;
  std::string name;  ///< with its stage, for messages
};

/// The loops of what is computed together: in the preparation, or in a call.
struct Nest {
  ir::Stmt body;  ///< undefined: nothing is
  NestNotes notes;
};

struct Nests {
  Nest preparation, call;
  std::vector<ir::Buffer> prepared;  ///< what the preparation stores for the calls
};

class NestBuilder {
 public:
  NestBuilder(const ScheduleState& schedule, const std::vector<StageGraph>& graphs, const Regions& regions);

  /// The nests of the whole schedule. `outputs`: by stage, the caller's buffer of each of its results, undefined for
  /// those that the caller does not see; empty for stages without any. Throws LowerError for private storage that
  /// several threads would share, and for what is prepared of something that is not.
  /// `symbols` are at least 1.
  Nests build(const std::vector<std::vector<ir::Buffer>>& outputs, const std::vector<ir::Var>& symbols);

 private:
  Nest build_part(AttachKind part, const std::vector<std::vector<ir::Buffer>>& outputs,
                  std::vector<ir::Buffer>& prepared);
  // nest_builder.cpp: loops and what is computed inside them.
  ir::Stmt open(const Frame& frame, int position);
  ir::Stmt open_loop(Frame frame, int position);
  void note_pragmas(const StageGraph& graph, int axis, const ir::Var& loop);
  ir::Stmt without_loop(const StageGraph& graph, int axis, ir::Stmt body);
  ir::Stmt initialise(const Frame& frame, int position);
  Storage storage_of(const Frame& frame) const;
  ir::Stmt inside(const Frame& frame, int position);
  std::shared_ptr<const std::vector<Limit>> limits_of(int stage, const std::vector<Span>& region) const;
  AxisSet pad_vectors(int stage, std::vector<Span>& region, const AxisSet& limited) const;
  Frame attached_frame(int stage, std::vector<Span> region, const Frame& host) const;
  void enter_loop(const Frame& frame, int axis, const ir::Var& var);

  // nest_threads.cpp: what the threads of a block share.
  void require_storable(const StageState& stage) const;
  void enter_bound(const Frame& frame, int axis, const ir::Var& var, std::string name);
  ir::Stmt share_loop(Frame frame, int position, const BoundLoop& around);
  ir::Stmt once_per_block(const StageGraph& graph, ir::Stmt nest) const;
  const BoundLoop* shared_index(const StageGraph& graph, int axis) const;
  bool has_one_each(const StageGraph& graph, int axis) const;
  std::vector<Span> of_all_threads(int stage, std::vector<Span> region) const;
  bool in_threads() const;
  bool differs_between_threads(const ir::Expr& e) const;

  // nest_tails.cpp: axes whose value has become known.
  ir::Stmt settle(Frame frame, int position);
  ir::Stmt decode_fused(Frame frame, int position, const AxisEdge& edge);
  ir::Stmt branch(Frame frame, int position, int pivot);
  ir::Stmt branch_layout(Frame frame, int position, const AxisEdge& edge);
  ir::Stmt guard(Frame frame, int position, int axis);
  ir::Stmt guard_root(Frame frame, int position, std::size_t root);

  // nest_statement.cpp: the innermost statements.
  ir::Stmt statement(const Frame& frame);
  ir::Stmt combine(const ir::Reduce& reduce, const Storage& storage, const std::vector<ir::Expr>& indices,
                   const ir::Substitution& values);

  // nest_tensorize.cpp: tiles that an intrinsic computes.
  ir::Stmt open_tile(Frame frame, int position);
  ir::Stmt tile_statement(const Frame& frame, const std::vector<ir::Expr>& indices, const ir::Substitution& values);

  ir::Stmt prefetch(const PrefetchNote& note, const Frame& frame, int leaf);

  const ScheduleState& schedule_;
  const std::vector<StageGraph>& graphs_;
  const Regions& regions_;
  Facts facts_;
  std::vector<std::optional<Storage>> storages_;        ///< of each stage, where it exists at this point
  std::vector<std::vector<std::vector<Span>>> needed_;  ///< of each stage, as far as what it reads is computed here
  std::string parallel_;          ///< the parallel loop around this point, empty where there is none
  std::vector<BoundLoop> bound_;  ///< the bound loops around this point, outermost first
  /// Variables that differ between the threads of a block: of loops around this point, and parts of those that are
  /// fused.
  std::vector<std::pair<ir::Var, ir::Expr>> thread_vars_;
  NestNotes notes_;
  std::string private_;  ///< a stage whose storage is private to the thread here, or empty
};

}  // namespace nestwright
