// Builds the loop nest of a schedule: infers regions, allocates storage, initialises reductions, inserts guards, and
// branches to a tail for every partitioned split. Internal to lower/.
//
//   C[i] = A[i] + 1 for i in 0..10,         for io in 0..3:
//   i split by 4 with a partitioned   ->      if io < 2: for ii in 0..4: C[io*4 + ii] = A[io*4 + ii] + 1
//   tail                                      else:      for ii in 0..2: C[io*4 + ii] = A[io*4 + ii] + 1
//
// Nests are built depth first. After a loop is opened, nest_tails.cpp settles every axis whose value has become known:
// it branches on pivots and guards values that may overshoot, as far out as the value allows; nest_fused.cpp decodes
// fused loops.
// Below a branch everything is built anew with the facts of that branch, so that a tail's inner loops have their exact
// extents and no guards. Thread rule: an object belongs to one lowering.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/nest/nest_notes.h"
#include "lower/nest/regions.h"
#include "lower/nest/storage.h"

namespace nestwright {

/// A loop around the point being built that is bound to a thread or block index.
struct BoundLoop {
  int stage;
  ir::LoopKind kind;
  ir::Var var;
  ir::Expr extent;
  std::string name;  ///< the loop's and its stage's, for messages
};

/// The nest of all stages that are computed in the preparation, or in a call.
struct Nest {
  ir::Stmt body;  ///< undefined: there are no such stages
  NestNotes notes;
};

struct Nests {
  Nest preparation, call;
  std::vector<ir::Buffer> prepared;  ///< buffers that the preparation stores for the calls
};

class NestBuilder {
 public:
  NestBuilder(const ScheduleState& schedule, const std::vector<StageGraph>& graphs, const Regions& regions);

  /// The nests of the whole schedule. `outputs` has, by stage, the caller's buffer of each result: undefined for
  /// results that are not outputs, empty for stages that have none. Every symbol is assumed to be at least 1. Throws
  /// LowerError for private storage that several threads would share, and for a prepared stage that depends on a call.
  Nests build(const std::vector<std::vector<ir::Buffer>>& outputs, const std::vector<ir::Var>& symbols);

 private:
  Nest build_part(AttachKind part, const std::vector<std::vector<ir::Buffer>>& outputs,
                  std::vector<ir::Buffer>& prepared);
  // nest_builder.cpp: loops and the stages attached inside them.
  ir::Stmt open(const Frame& frame, int position);
  ir::Stmt open_loop(Frame frame, int position);
  void note_pragmas(const StageGraph& graph, int axis, const ir::Var& loop);
  ir::Stmt without_loop(const StageGraph& graph, int axis, ir::Stmt body);
  ir::Stmt initialise(const Frame& frame, int position);
  Storage storage_of(const Frame& frame) const;
  AttachedRegions attached_regions(const Frame& frame, const std::vector<int>& stages) const;
  ir::Stmt inside(const Frame& frame, int position);
  std::shared_ptr<const std::vector<Limit>> limits_of(int stage, const std::vector<Span>& region) const;
  AxisSet pad_vectors(int stage, std::vector<Span>& region, const AxisSet& limited) const;
  Frame attached_frame(int stage, std::vector<Span> region, const Frame& host) const;
  void enter_loop(const Frame& frame, int axis, const ir::Var& var);

  // nest_threads.cpp: stages that the threads of a block or warp share.
  void require_storable(const StageState& stage) const;
  void enter_bound(const Frame& frame, int axis, const ir::Var& var, std::string name);
  ir::Stmt share_loop(Frame frame, int position, const BoundLoop& around);
  ir::Stmt once_per_block(const StageGraph& graph, ir::Stmt nest) const;
  const BoundLoop* shared_index(const StageGraph& graph, int axis) const;
  bool maps_one_element_per_thread(const StageGraph& graph, int axis) const;
  std::vector<Span> region_of_all_threads(int stage, std::vector<Span> region) const;
  bool in_threads() const;
  bool differs_between_threads(const ir::Expr& e) const;

  // nest_tails.cpp: settles axes whose value has become known.
  ir::Stmt settle(Frame frame, int position);
  ir::Stmt branch(Frame frame, int position, int pivot);
  ir::Stmt branch_layout(Frame frame, int position, const AxisEdge& edge);
  ir::Stmt guard(Frame frame, int position, int axis);
  ir::Stmt guard_root(Frame frame, int position, std::size_t root);

  // nest_fused.cpp: the loops that a fused loop stands for.
  ir::Stmt decode_fused(Frame frame, int position, const AxisEdge& edge);
  const AxisEdge* fused_in_part(const Frame& frame, int position) const;
  bool has_stages_in_part(const StageGraph& graph, const AxisEdge& edge, int position) const;
  bool covers_fused_loop(const Frame& frame, const AxisEdge& edge, const Span& span) const;
  std::optional<FusedPart> touched_part(const Frame& frame, const AxisEdge& edge) const;
  std::optional<FusedPart> part_of(const Frame& frame, const AxisEdge& edge) const;
  std::string unknown_part_reason(const Frame& frame, const AxisEdge& edge) const;
  void require_known_parts(const Frame& frame, int position, const std::vector<int>& stages) const;
  ir::Stmt open_fused_part(Frame frame, int position, const AxisEdge& edge);

  // nest_statement.cpp: the innermost statements.
  ir::Stmt statement(const Frame& frame);
  ir::Stmt combine(const ir::Reduce& reduce, const Storage& storage, const std::vector<ir::Expr>& indices,
                   const ir::Substitution& values);

  // nest_tensorize.cpp: tiles that an intrinsic computes.
  /// Whether the tile at this leaf belongs to the tail of a partitioned or composed split.
  static bool is_partial_tile(const Frame& frame, int position);
  ir::Stmt open_tile(Frame frame, int position);
  ir::Stmt tile_statement(const Frame& frame, const std::vector<ir::Expr>& indices, const ir::Substitution& values);

  ir::Stmt prefetch(const PrefetchNote& note, const Frame& frame, int leaf);

  const ScheduleState& schedule_;
  const std::vector<StageGraph>& graphs_;
  const Regions& regions_;
  Facts facts_;
  std::vector<std::optional<Storage>> storages_;  ///< of each stage; absent: it has none at this point
  /// Of each stage, a region for each enclosing loop at which its inputs are computed.
  std::vector<std::vector<std::vector<Span>>> needed_;
  std::string parallel_;          ///< name of the parallel loop around this point; empty: none
  std::vector<BoundLoop> bound_;  ///< bound loops around this point, outermost first
  /// The variables that differ between the threads of a block, with their extents: of loops around this point, and of
  /// the axes that such a loop was fused from.
  std::vector<std::pair<ir::Var, ir::Expr>> thread_vars_;
  NestNotes notes_;
  std::string private_;  ///< name of a stage whose storage is private to the thread at this point; empty: none
};

}  // namespace nestwright
