#include "lower/nest/frame.h"

#include <algorithm>

#include "nestwright/schedule.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;

namespace {

Expr smaller(std::int64_t factor, const Expr& extent) {
  const std::int64_t* constant = as_const_int(extent);
  return constant != nullptr && *constant < factor ? extent : Expr(factor);
}

/// The size of each of `parts` equal parts of `extent`, rounded up; at least 1.
std::int64_t part_of(std::int64_t extent, std::int64_t parts) { return extent < 1 ? 1 : (extent - 1) / parts + 1; }

}  // namespace

Expr ceil_div(const Expr& a, std::int64_t b) { return b == 1 ? a : (a - 1) / Expr(b) + 1; }
Expr affine(const Expr& e) { return as_const_int(e) != nullptr || e.as<ir::VarRef>() ? e : ir::to_linear(e).expr(); }

Frame::Frame(const StageGraph& stage, std::vector<Span> root_region)
    : graph(&stage),
      roots(std::make_shared<const std::vector<Span>>(std::move(root_region))),
      value(stage.axes.size()),
      extent(stage.axes.size()) {
  for (std::size_t r = 0; r < roots->size(); ++r) extent[stage.roots[r]] = region(r).extent;
  if (std::any_of(stage.edges.begin(), stage.edges.end(), [](const AxisEdge& e) { return e.is_composed(); })) {
    segments.resize(stage.edges.size());
  }
  const auto is_by_parts = [](const AxisEdge& e) { return e.kind == AxisEdge::Kind::kSplit && e.split->nparts != 0; };
  if (std::any_of(stage.edges.begin(), stage.edges.end(), is_by_parts)) {
    for (const AxisEdge& edge : stage.edges) factors.push_back(edge.factor);
  }
  for (const AxisEdge& edge : graph->edges) {
    if (edge.kind == AxisEdge::Kind::kFuse) {
      extent[edge.parent] = extent[edge.outer] * extent[edge.inner];
      continue;
    }
    const std::int64_t* whole = as_const_int(extent[edge.parent]);
    if (is_by_parts(edge) && whole != nullptr) factors[number(edge)] = part_of(*whole, edge.split->nparts);
    // The number of a composed split's tiles does not follow from its extent.
    const bool composed = edge.is_composed() && extent[edge.parent].defined() && as_const_int(extent[edge.parent]) &&
                          as_const_int(edge.split->parent.extent()) &&
                          *as_const_int(extent[edge.parent]) == *as_const_int(edge.split->parent.extent());
    extent[edge.outer] = composed ? edge.split->outer.extent() : ceil_div(extent[edge.parent], factor(edge));
    extent[edge.inner] = inner_extent(edge, extent[edge.parent]);
  }
}

Expr Frame::inner_extent(const AxisEdge& edge, const Expr& parent) const {
  const bool of_threads = ir::is_device_thread(graph->kinds[edge.inner]);
  return of_threads || edge.kind == AxisEdge::Kind::kLayout ? Expr(factor(edge)) : smaller(factor(edge), parent);
}

bool Frame::computes_tile() const {
  const auto& tensorize = graph->state->tensorize;
  if (!tensorize) return false;
  if (role == NestRole::kCompute) return true;
  // The intrinsic's init stores the identity.
  const ir::Reduce* reduction = graph->compute->reduction();
  return role == NestRole::kInitToIdentity && tensorize->intrinsic->init && reduction->init.empty();
}

bool Frame::is_limited(int axis) const {
  return limits != nullptr && std::any_of(limits->begin(), limits->end(),
                                          [&](const Limit& limit) { return graph->roots[limit.root] == axis; });
}

void Frame::narrow(int axis, const Expr& to) {
  const std::int64_t* now = as_const_int(extent[axis]);
  if (now != nullptr && as_const_int(to) != nullptr && *now == *as_const_int(to)) return;
  extent[axis] = to;
  for (std::size_t e = 0; e < graph->edges.size(); ++e) {
    const AxisEdge& edge = graph->edges[e];
    if (edge.kind == AxisEdge::Kind::kFuse) {
      // Once the fused loop is open, in whole or in part, the two loops have values and their extents are only limits.
      if ((edge.outer == axis || edge.inner == axis) && !known(edge.parent) && part(edge) == nullptr) {
        narrow(edge.parent, extent[edge.outer] * extent[edge.inner]);
      }
    } else if (edge.parent == axis) {
      // An outer axis decoded from a fused loop may be known before it is settled. Once it is settled, its branch has
      // set the extent of the inner loop, and the parent's guard covers the rest.
      if (known(edge.outer) && settled[edge.outer]) continue;
      narrow(edge.outer, ceil_div(to, factor(edge)));
      if (!known(edge.inner)) narrow(edge.inner, inner_extent(edge, to));
    }
  }
}

Expr Frame::combine(const AxisEdge& edge, const Expr& outer, const Expr& inner) const {
  const Segment segment = segments.empty() ? Segment() : segments[number(edge)];
  const std::int64_t step = segment.factor != 0 ? segment.factor : factor(edge);
  ir::Linear sum;
  sum.constant = segment.offset - segment.start * step;
  sum.add(ir::to_linear(outer), step).add(ir::to_linear(inner));
  return sum.expr();
}

Span Frame::span(int axis, const Facts& facts) const {
  if (known(axis)) return {value[axis], 1};
  Span all{0, extent[axis]};
  for (const AxisEdge& fuse : graph->edges) {
    if (fuse.kind != AxisEdge::Kind::kFuse || (fuse.outer != axis && fuse.inner != axis)) continue;
    const FusedPart* open = part(fuse);
    if (open == nullptr) return all;
    if (fuse.outer == axis) return {open->outer, open->rows};
    const std::int64_t* limit = as_const_int(all.extent);
    const bool is_limited = ir::is_const_int(open->inner, 0) && limit != nullptr && *limit < open->length;
    return open->rows == 1 && !is_limited ? Span{open->inner, open->length} : all;
  }
  const int e = graph->edge_of[axis];
  if (e < 0) return all;
  const AxisEdge& edge = graph->edges[e];
  if (edge.kind == AxisEdge::Kind::kLayout)
    all.extent = extent[edge.outer] * Expr(edge.factor);  // to the last tile's end
  const Span outer = span(edge.outer, facts), inner = span(edge.inner, facts);
  const bool outer_open = ir::is_const_int(outer.min, 0) && outer.extent.same_as(extent[edge.outer]);
  const bool single_outer = ir::is_const_int(outer.extent, 1);  // then the inner axis alone determines the span
  if (outer_open && !single_outer && !known(edge.outer) && !known(edge.inner)) return all;
  const Segment segment = segments.empty() ? Segment() : segments[e];
  if (edge.is_composed() && segment.factor == 0) return all;
  const std::int64_t step = segment.factor != 0 ? segment.factor : factor(edge);
  Span result{combine(edge, outer.min, inner.min), (outer.extent - 1) * Expr(step) + inner.extent};
  const std::int64_t* length = as_const_int(result.extent);
  const std::int64_t* limit = as_const_int(all.extent);
  if (length != nullptr && limit != nullptr) {
    if (*length >= *limit) return all;
    const ir::Interval start = facts.range(result.min);
    if (start.is_point()) result.extent = std::min(*length, *limit - start.lo);
  }
  return result;
}

const FusedPart* Frame::part(const AxisEdge& fuse) const {
  if (parts.empty()) return nullptr;
  const FusedPart& result = parts[number(fuse)];
  return result.start.defined() ? &result : nullptr;
}

bool Frame::is_untouched(int axis) const {
  if (ir::is_const_int(extent[axis], 1)) return true;
  if (known(axis)) return false;
  if (const int e = graph->edge_of[axis]; e >= 0) {
    if (!is_untouched(graph->edges[e].outer) || !is_untouched(graph->edges[e].inner)) return false;
  }
  return std::all_of(graph->edges.begin(), graph->edges.end(), [&](const AxisEdge& edge) {
    const bool is_part = edge.kind == AxisEdge::Kind::kFuse && (edge.outer == axis || edge.inner == axis);
    return !is_part || is_untouched(edge.parent);
  });
}

bool Frame::is_dense(int axis) const {
  if (known(axis) || is_untouched(axis)) return true;
  const int e = graph->edge_of[axis];
  if (e < 0) return false;  // part of a fused loop that is open in part
  const AxisEdge& edge = graph->edges[e];
  if (edge.is_composed() && segments[static_cast<std::size_t>(e)].factor == 0) return false;
  if (known(edge.outer) || ir::is_const_int(extent[edge.outer], 1)) return is_dense(edge.inner);
  return is_untouched(edge.inner) && is_dense(edge.outer);
}

Span Frame::root_span(std::size_t root, const Facts& facts) const {
  Span result = span(graph->roots[root], facts);
  if (!ir::is_const_int(region(root).min, 0)) result.min = affine(region(root).min + result.min);
  return result;
}

Expr Frame::reach(int axis) const {
  const int e = graph->edge_of[axis];
  if (e < 0) return extent[axis];
  const AxisEdge& edge = graph->edges[e];
  // A longer factor exceeds the extent: the lanes are those of the axis.
  const bool is_vectorized = graph->kinds[edge.inner] == ir::LoopKind::kVectorized;
  if (is_vectorized && factor(edge) <= kMaxVectorizedIterations) return extent[edge.outer] * Expr(factor(edge));
  return (reach(edge.outer) - 1) * Expr(factor(edge)) + smaller(factor(edge), reach(edge.inner));
}

}  // namespace nestwright
