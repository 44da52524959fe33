// A stage's axes and relations with numbers in place of handles: what the nest builder works on. Internal to lower/.
// Thread rule: immutable once made.
#pragma once

#include <vector>

#include "schedule/scan_parts.h"
#include "schedule/state.h"

namespace nestwright {

/// Axes of one stage, its own and those made by its relations. More are refused.
inline constexpr std::size_t kMostAxes = 128;

/// One relation. split and layout: parent = outer*factor + inner. fuse: parent is the fused loop.
struct AxisEdge {
  enum class Kind : std::uint8_t { kSplit, kFuse, kLayout };
  Kind kind;
  int parent, outer, inner;
  std::int64_t factor = 1;               ///< split, layout; the largest of a composed split
  const SplitRelation* split = nullptr;  ///< kSplit
  /// True for a split whose outer loop is a pivot: main body and tail are told apart by its value. Those into vectors
  /// are, whatever their tail: a shorter last vector is better than a guard in every one.
  bool is_pivot = false;
  bool is_composed() const { return kind == Kind::kSplit && split->counts.size() > 1; }
};

struct StageGraph {
  StageGraph(const ScheduleState& schedule, int stage);

  int stage;
  const StageState* state;
  const ComputeOp* compute;
  ScanPlace place;                  ///< which part of a scan it is
  std::vector<IterVar> axes;        ///< all of them; the index is the number of the axis
  std::vector<ir::LoopKind> kinds;  ///< of each axis
  std::vector<bool> vectorized;     ///< whether each axis ends up, wholly or in part, in a vectorised loop
  std::vector<int> leaves;          ///< outermost first
  std::vector<int> position;        ///< of each axis among the leaves, or -1
  std::vector<AxisEdge> edges;      ///< in order of application
  std::vector<int> edge_of;         ///< index of the split or layout that takes an axis apart, or -1
  std::vector<int> pivot_of;        ///< index of the edge whose outer axis it is, where that edge is a pivot, or -1
  /// Axes that no relation makes: those of the operation, its reduce axes, then those of a blocked reduction.
  std::vector<int> roots;
  int rank;          ///< of the operation: its axes are roots 0 .. rank-1
  int first_reduce;  ///< position of the outermost loop of the stage's own reduction; number of leaves: none

  /// Number of an axis, or -1.
  int find(const IterVar& axis) const;
  bool is_reduction() const { return compute->reduction() != nullptr; }
  /// True for the axes of the result, whose stored extent is padded up by transform_layout.
  bool is_layout_axis(int axis) const {
    return edge_of[axis] >= 0 && edges[edge_of[axis]].kind == AxisEdge::Kind::kLayout;
  }
};

}  // namespace nestwright
