// A stage's axes and the relations between them, by number instead of by handle: the nest builder's view of a stage.
// Internal to lower/. Thread rule: immutable once made.
#pragma once

#include <vector>

#include "schedule/state/scan_parts.h"
#include "schedule/state/state.h"

namespace nestwright {

/// The most axes that a stage may have, its own and those that its relations make.
inline constexpr std::size_t kMaxAxes = 128;

/// One relation. Of a split or layout, parent = outer*factor + inner; of a fuse, `parent` is the fused loop.
struct AxisEdge {
  enum class Kind : std::uint8_t { kSplit, kFuse, kLayout };
  Kind kind;
  int parent, outer, inner;
  /// Split, layout; the largest of a composed split. A split by a number of parts: see Frame::factor().
  std::int64_t factor = 1;
  const SplitRelation* split = nullptr;  ///< kSplit
  /// Whether the outer loop of a split is a pivot, whose value decides between main body and tail. Splits into vectors
  /// always have a pivot: one shorter vector at the end costs less than a guard in every one.
  bool is_pivot = false;
  bool is_composed() const { return kind == Kind::kSplit && split->counts.size() > 1; }
};

struct StageGraph {
  StageGraph(const ScheduleState& schedule, int stage);

  int stage;
  const StageState* state;
  const ComputeOp* compute;
  ScanPlace place;                  ///< the part of a scan that the stage is
  std::vector<IterVar> axes;        ///< by number
  std::vector<ir::LoopKind> kinds;  ///< of each axis
  std::vector<bool> vectorized;     ///< of each axis: whether all or part of it becomes a vectorised loop
  std::vector<int> leaves;          ///< outermost first
  std::vector<int> position;        ///< of each axis among the leaves, or -1
  std::vector<AxisEdge> edges;      ///< in order of application
  std::vector<int> edge_of;         ///< of each axis: index of the split or layout whose parent it is, or -1
  std::vector<int> pivot_of;        ///< of each axis: index of the pivot edge whose outer axis it is, or -1
  /// The axes that no relation makes: those of the operation, its reduce axes, then those of a blocked reduction.
  std::vector<int> roots;
  int rank;          ///< of the operation: its axes are roots 0 .. rank-1
  int first_reduce;  ///< position of the outermost leaf of the stage's own reduction; leaves.size() if none

  /// The number of an axis, or -1.
  int find(const IterVar& axis) const;
  bool is_reduction() const { return compute->reduction() != nullptr; }
  /// Whether transform_layout rounds up the stored extent of this axis of the result.
  bool is_layout_axis(int axis) const {
    return edge_of[axis] >= 0 && edges[edge_of[axis]].kind == AxisEdge::Kind::kLayout;
  }

 private:
  void number_axes(const ScheduleState& schedule);
  void index_edges();
  void mark_vectorized();
};

}  // namespace nestwright
