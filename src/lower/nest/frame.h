// The state of building one stage's loop nest: which axes have a value at this point, and the extent of each axis.
// Internal to lower/. Thread rule: a value; each side of a branch works on a copy of its own.
// Units: indices and extents count elements along an axis.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "lower/nest/facts.h"
#include "lower/nest/stage_graph.h"

namespace nestwright {

/// The contiguous indices min .. min + extent - 1.
struct Span {
  ir::Expr min, extent;
};

/// The segment of a composed split that the point lies in. factor 0: not known.
struct Segment {
  std::int64_t start = 0, offset = 0, factor = 0;
};

/// A fused loop that is open in part, with values start .. start + length - 1, and the values of the two loops that
/// were fused.
struct FusedPart {
  ir::Expr start;           ///< undefined: the loop is not open
  std::int64_t length = 0;  ///< at least 1
  ir::Expr outer, inner;    ///< the values of the two loops where that of the fused loop is `start`
  std::int64_t rows = 0;    ///< the outer loop's values are outer .. outer + rows - 1; if 1, inner's start at `inner`
  std::int64_t row = 1;     ///< the extent of the inner loop by which values of the fused loop are decoded
  ir::Expr outer_extent;    ///< of the outer loop, likewise: tails narrow the loops' extents, but not their parts
  bool has_lets = false;    ///< outer and inner are variables of lets
};

/// The indices of one root axis outside of which no element of the stage is needed or can be computed.
struct Limit {
  std::size_t root;
  Span span;
};

/// What the nest does with the stage's elements: it computes them, or initialises those of a reduction.
enum class NestRole : std::uint8_t {
  kCompute,
  kInitToIdentity,
  kFillPadding,    ///< sets all of a packed tile, part of which lies past the tensor
  kInitToCarried,  ///< to the output's values from the previous blocks of a blocked reduction
};

/// A set of axes of one stage.
using AxisSet = std::bitset<kMaxAxes>;

struct Frame {
  /// No axis has a value; the root axes run over `root_region`, one span per root in the order of graph.roots.
  Frame(const StageGraph& stage, std::vector<Span> root_region);

  const StageGraph* graph;
  std::shared_ptr<const std::vector<Span>> roots;  ///< the region of each root, by position in graph->roots
  std::vector<ir::Expr> value;   ///< of each axis, relative to the start of its region; undefined: not known yet
  std::vector<ir::Expr> extent;  ///< of each axis; narrowed in a tail
  AxisSet settled;               ///< axes whose guards and branches are built
  AxisSet padded;                ///< axes that need no guards, because reads past the tensor find padding
  std::shared_ptr<const std::vector<Limit>> limits;  ///< those that the region does not imply; null: none
  std::vector<Segment> segments;                     ///< of each edge; empty where no split is composed
  std::vector<std::int64_t> factors;                 ///< of each edge; empty where no split is by a number of parts
  std::vector<FusedPart> parts;                      ///< of each edge; empty where none is known
  NestRole role = NestRole::kCompute;
  ir::Expr is_carried;     ///< in the tile of a blocked reduction: whether a block precedes; else undefined
  bool in_vector = false;  ///< inside the stage's vectorised loop
  bool in_tile = false;    ///< inside the loops that the stage's intrinsic replaces

  /// Whether an intrinsic computes the stage's tile in this role.
  bool computes_tile() const;
  const Span& region(std::size_t root) const { return (*roots)[root]; }
  bool known(int axis) const { return value[axis].defined(); }
  bool is_limited(int axis) const;
  /// The extent of an edge's inner loop, before tails. A split into n parts makes n parts of the region.
  std::int64_t factor(const AxisEdge& edge) const { return factors.empty() ? edge.factor : factors[number(edge)]; }
  /// The extent of an edge's inner loop if its parent has the extent `parent`. A loop over the threads of a block
  /// always has the extent that its split declares: surplus threads are guarded, and other stages rely on the number.
  ir::Expr inner_extent(const AxisEdge& edge, const ir::Expr& parent) const;
  /// Reduces the extent of an axis to `to`, and the extents of the axes that it is split into accordingly.
  void narrow(int axis, const ir::Expr& to);
  /// The value of an edge's parent, given those of its outer and inner axes.
  ir::Expr combine(const AxisEdge& edge, const ir::Expr& outer, const ir::Expr& inner) const;
  /// The indices that an axis takes at this point, relative to the start of its region: loops that are not open yet run
  /// over all their iterations.
  Span span(int axis, const Facts& facts) const;
  /// Returns the part of a fused loop that is open; nullptr if none is.
  const FusedPart* part(const AxisEdge& fuse) const;
  /// Whether no loop of the axis with more than one iteration is open.
  bool is_untouched(int axis) const;
  /// Whether the loops that are not open yet visit every index in the axis's span.
  bool is_dense(int axis) const;
  /// The span of root number `root` in absolute indices.
  Span root_span(std::size_t root, const Facts& facts) const;
  /// The extent of an axis, rounded up to whole vectors.
  ir::Expr reach(int axis) const;

 private:
  std::size_t number(const AxisEdge& edge) const { return static_cast<std::size_t>(&edge - graph->edges.data()); }
};

/// a / b rounded up; a constant if `a` is one.
ir::Expr ceil_div(const ir::Expr& a, std::int64_t b);
/// `e` in affine normal form, which keeps the nest's expressions small.
ir::Expr affine(const ir::Expr& e);

}  // namespace nestwright
