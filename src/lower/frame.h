// Where the building of one stage's nest stands: which axes have a value, and how far each one runs. Internal to
// lower/. Thread rule: a value; a copy is independent, which is how the two sides of a branch know different things.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "lower/facts.h"
#include "lower/stage_graph.h"

namespace nestwright {

/// A run of indices: min .. min + extent - 1.
struct Span {
  ir::Expr min, extent;
};

/// Which segment of a composed split the point lies in. factor 0: not known.
struct Segment {
  std::int64_t start = 0, offset = 0, factor = 0;
};

/// Indices of one root, outside of which no element of the stage is needed or can be computed.
struct Limit {
  std::size_t root;
  Span span;
};

/// What the nest does with the stage's elements: computes them, or sets those of a reduction to their start.
enum class NestRole : std::uint8_t {
  kCompute,
  kInitToIdentity,
  kFillPadding,    ///< sets all of a packed tile, part of which lies past the tensor
  kInitToCarried,  ///< to what the blocks of a blocked reduction before this one have left in the output
};

/// Axes of one stage.
using AxisSet = std::bitset<kMostAxes>;

struct Frame {
  /// Nothing known but that the root axes run over `region`, one span a root in the order of graph.roots.
  Frame(const StageGraph& stage, std::vector<Span> root_region);

  const StageGraph* graph;
  std::shared_ptr<const std::vector<Span>> roots;  ///< the region of each root, by position in graph->roots
  std::vector<ir::Expr> value;   ///< of each axis, counted from the start of its region; undefined: not known yet
  std::vector<ir::Expr> extent;  ///< of each axis; narrowed in a tail
  AxisSet settled;               ///< guards and branches of the axis are built
  AxisSet padded;                ///< what is read past the tensor is padding, so nothing is guarded
  std::shared_ptr<const std::vector<Limit>> limits;  ///< those that the region does not keep by itself; null: none
  std::vector<Segment> segments;                     ///< of each edge; empty where no split is composed
  NestRole role = NestRole::kCompute;
  ir::Expr is_carried;     ///< tile of a blocked reduction: whether a block came before; else undefined
  bool in_vector = false;  ///< inside the stage's vectorised loop
  bool in_tile = false;    ///< inside the loops that the stage's intrinsic takes the place of

  /// Whether an intrinsic computes the stage's tile, in this role.
  bool computes_tile() const;
  const Span& region(std::size_t root) const { return (*roots)[root]; }
  bool known(int axis) const { return value[axis].defined(); }
  bool is_limited(int axis) const;
  /// Iterations of an edge's inner loop, where `parent` has so many. A loop over the threads of a block has as many as
  /// its split says: those that are left over are guarded, and other stages may count on them.
  ir::Expr inner_extent(const AxisEdge& edge, const ir::Expr& parent) const;
  /// Limits an axis to `to` iterations and all that it is split into accordingly.
  void narrow(int axis, const ir::Expr& to);
  /// The value of an edge's parent from its outer and inner.
  ir::Expr combine(const AxisEdge& edge, const ir::Expr& outer, const ir::Expr& inner) const;
  /// Indices that an axis takes on from here on, loops not yet opened running over all of theirs; from the start of its
  /// region.
  Span span(int axis, const Facts& facts) const;
  /// True where no loop of the axis with more than one iteration is open.
  bool is_untouched(int axis) const;
  /// False where the loops not yet opened step over some of the indices in the axis's span.
  bool is_dense(int axis) const;
  /// As span, of root number `root`, absolute.
  Span root_span(std::size_t root, const Facts& facts) const;
  /// The extent of an axis, rounded up to whole vectors.
  ir::Expr reach(int axis) const;
};

/// a / b, rounded up; of constants as a constant.
ir::Expr ceil_div(const ir::Expr& a, std::int64_t b);
/// `e` in affine normal form, which keeps the expressions of the nest small.
ir::Expr affine(const ir::Expr& e);

}  // namespace nestwright
