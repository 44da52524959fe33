// Settles axes whose value has become known: branches on pivots into main body and tail, and guards indices that may
// overshoot.
#include <fmt/format.h>

#include <algorithm>

#include "lower/nest/nest_builder.h"
#include "nestwright/error.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Stmt;

namespace {

/// Consecutive values of a pivot that share one body.
struct Piece {
  std::int64_t start, count;
  std::int64_t offset;  ///< start of its first tile
  std::int64_t factor;  ///< distance between its tiles
  std::int64_t inner;   ///< iterations of the inner loop
};

std::vector<Piece> pieces_of(const AxisEdge& edge, std::int64_t factor, std::int64_t extent) {
  std::vector<Piece> pieces;
  if (edge.is_composed()) {
    std::int64_t start = 0, offset = 0;
    for (std::size_t s = 0; s < edge.split->counts.size(); ++s) {
      const std::int64_t count = edge.split->counts[s], tile = edge.split->factors[s];
      pieces.push_back({start, count, offset, tile, tile});
      start += count;
      offset += count * tile;
    }
    if (offset == extent) return pieces;
    pieces.clear();  // the split was made for another extent
  }
  const std::int64_t full = extent / factor, rest = extent % factor;
  if (full > 0) pieces.push_back({0, full, 0, factor, factor});
  if (rest > 0) pieces.push_back({full, 1, full * factor, factor, rest});
  return pieces;
}

/// Whether the loop over `axis`, or one that it is split or fused into, is bound to a thread index.
bool is_in_threads(const StageGraph& graph, int axis) {
  if (graph.position[axis] >= 0) return ir::is_thread_index(graph.kinds[axis]);
  return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const AxisEdge& edge) {
    if (edge.kind == AxisEdge::Kind::kFuse) {
      return (edge.outer == axis || edge.inner == axis) && is_in_threads(graph, edge.parent);
    }
    return edge.parent == axis && (is_in_threads(graph, edge.outer) || is_in_threads(graph, edge.inner));
  });
}

/// Whether the extent of `axis` determines which thread computes which element. A fused loop over threads is decoded by
/// the extent of its inner loop, unless it is open and has been decoded already. The segments of a composed split over
/// threads depend on the extent that is split.
bool determines_threads(const Frame& frame, int axis) {
  const StageGraph& graph = *frame.graph;
  return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const AxisEdge& edge) {
    if (edge.kind == AxisEdge::Kind::kFuse) {
      if ((edge.outer != axis && edge.inner != axis) || frame.known(edge.parent)) return false;
      return (edge.inner == axis && is_in_threads(graph, edge.parent)) || determines_threads(frame, edge.parent);
    }
    if (edge.parent != axis) return false;
    if (edge.is_composed() && !frame.settled[edge.outer] && is_in_threads(graph, axis)) return true;
    return determines_threads(frame, edge.outer) || determines_threads(frame, edge.inner);
  });
}

/// The pieces of a pivot whose values lie in `reach`; empty if guards are to replace the branch. Throws LowerError for
/// a composed split that is not supported at this point.
std::vector<Piece> pieces_at(const Frame& frame, int pivot, const ir::Interval& reach) {
  const StageGraph& graph = *frame.graph;
  const AxisEdge& edge = graph.edges[static_cast<std::size_t>(graph.pivot_of[pivot])];
  if (edge.is_composed() && graph.edge_of[pivot] >= 0 && frame.known(edge.inner)) {
    throw LowerError(fmt::format(
        "{} of {} counts the tiles of a composed split and is split again inside {}: reorder {} inside, or "
        "use another tail",
        graph.axes[pivot].name(), graph.state->name, graph.axes[edge.inner].name(), graph.axes[edge.inner].name()));
  }
  const std::int64_t* extent = as_const_int(frame.extent[edge.parent]);
  std::vector<Piece> pieces;
  if (extent != nullptr) pieces = pieces_of(edge, frame.factor(edge), *extent);
  if (frame.in_vector && pieces.size() > 1) {
    if (pieces[0].factor != pieces[1].factor) {
      throw LowerError(
          fmt::format("{} of {} runs over the segments of a composed split and is vectorized: vectorize the "
                      "inner loop, or use another tail",
                      graph.axes[pivot].name(), graph.state->name));
    }
    pieces.clear();  // the guards become masks
  }
  std::erase_if(pieces, [&](const Piece& p) { return p.start > reach.hi || p.start + p.count <= reach.lo; });
  return pieces;
}

}  // namespace

Stmt NestBuilder::settle(Frame frame, int position) {
  const StageGraph& graph = *frame.graph;
  for (;;) {
    bool changed = false;
    for (auto edge = graph.edges.rbegin(); edge != graph.edges.rend(); ++edge) {
      if (edge->kind == AxisEdge::Kind::kFuse && frame.known(edge->parent) && !frame.known(edge->outer)) {
        return decode_fused(std::move(frame), position, *edge);
      }
    }
    for (const AxisEdge& edge : graph.edges) {
      if (edge.kind == AxisEdge::Kind::kFuse || !frame.known(edge.outer) || frame.settled[edge.outer]) continue;
      if (edge.is_pivot) return branch(std::move(frame), position, edge.outer);
      if (edge.kind == AxisEdge::Kind::kLayout) return branch_layout(std::move(frame), position, edge);
    }
    for (auto edge = graph.edges.rbegin(); edge != graph.edges.rend(); ++edge) {
      if (edge->kind == AxisEdge::Kind::kFuse || frame.known(edge->parent)) continue;
      if (!frame.known(edge->outer) || !frame.known(edge->inner)) continue;
      frame.value[edge->parent] = frame.combine(*edge, frame.value[edge->outer], frame.value[edge->inner]);
      changed = true;
      const bool is_root = std::find(graph.roots.begin(), graph.roots.end(), edge->parent) != graph.roots.end();
      if (!is_root && graph.pivot_of[edge->parent] < 0 && edge->kind == AxisEdge::Kind::kSplit) {
        return guard(std::move(frame), position, edge->parent);
      }
    }
    if (!changed) break;
  }
  for (std::size_t r = 0; r < graph.roots.size(); ++r) {
    if (frame.known(graph.roots[r]) && !frame.settled[graph.roots[r]]) return guard_root(std::move(frame), position, r);
  }
  const AxisEdge* fused = fused_in_part(frame, position);
  if (fused != nullptr) return open_fused_part(std::move(frame), position, *fused);
  return inside(frame, position);
}

Stmt NestBuilder::branch(Frame frame, int position, int pivot) {
  const StageGraph& graph = *frame.graph;
  const std::size_t e = static_cast<std::size_t>(graph.pivot_of[pivot]);
  const AxisEdge& edge = graph.edges[e];
  frame.settled[pivot] = true;
  const ir::Interval reach = facts_.range(frame.value[pivot]);
  const std::vector<Piece> pieces = pieces_at(frame, pivot, reach);
  const bool in_range = facts_.proves_less(frame.value[pivot], frame.extent[pivot]);
  if (pieces.empty()) return in_range ? settle(std::move(frame), position) : guard(std::move(frame), position, pivot);

  const Facts::Mark mark = facts_.mark();
  const Expr value = frame.value[pivot];
  ir::Var let;
  if (!value.as<ir::VarRef>() && !as_const_int(value) && !frame.in_vector && (pieces.size() > 1 || !in_range)) {
    let = ir::Var(graph.axes[pivot].name());
    facts_.define(let, value, reach);
    frame.value[pivot] = let;
  }
  const Expr at = frame.value[pivot];

  const auto body_of = [&](const Piece& piece) {
    const Facts::Mark before = facts_.mark();
    Frame inner = frame;
    if (edge.is_composed()) inner.segments[e] = {piece.start, piece.offset, piece.factor};
    inner.narrow(edge.inner, piece.inner);
    ir::Var constant;
    std::int64_t only = 0;
    facts_.assume_less(at, piece.start + piece.count);
    facts_.assume_less(piece.start - 1, at);
    if (const auto* ref = at.as<ir::VarRef>()) {
      const ir::Interval range{std::max(reach.lo, piece.start), std::min(reach.hi, piece.start + piece.count - 1)};
      facts_.bind(ref->var, range);
      if (range.is_point()) {
        constant = ir::Var(ref->var.name());
        only = range.lo;
        facts_.define(constant, at, range);
        inner.value[pivot] = constant;
      }
    }
    // The inner loop may be open already, with the extent of the longest segment.
    Expr overshoot;
    if (edge.is_composed() && inner.known(edge.inner) && !facts_.proves_less(inner.value[edge.inner], piece.inner)) {
      overshoot = inner.value[edge.inner] < piece.inner;
      facts_.assume_less(inner.value[edge.inner], piece.inner);
    }
    Stmt body = settle(std::move(inner), position);
    if (overshoot.defined()) body = ir::make_if(ir::likely(overshoot), std::move(body));
    facts_.reset(before);
    return constant.defined() ? ir::make_let(constant, only, std::move(body)) : body;
  };

  Stmt result;
  for (std::size_t n = pieces.size(); n-- > 0;) {
    const Expr end = pieces[n].start + pieces[n].count;
    Stmt body = body_of(pieces[n]);
    if (n + 1 < pieces.size()) {
      result = ir::make_if(at < end, std::move(body), std::move(result));
    } else {
      result = in_range ? std::move(body) : ir::make_if(ir::likely(at < end), std::move(body));
    }
  }
  facts_.reset(mark);
  return let.defined() ? ir::make_let(let, value, std::move(result)) : result;
}

Stmt NestBuilder::branch_layout(Frame frame, int position, const AxisEdge& edge) {
  frame.settled[edge.outer] = true;
  const Expr& start = frame.region(edge.parent).min;
  const Expr& limit = frame.graph->axes[edge.parent].extent();
  const Expr last = affine(start + frame.value[edge.outer] * Expr(edge.factor) + Expr(edge.factor - 1));
  const bool is_whole = !frame.is_limited(edge.parent) && facts_.proves_less(last, limit);
  if (frame.role == NestRole::kFillPadding || is_whole) return settle(std::move(frame), position);

  if (frame.is_limited(edge.parent)) {  // the root's guards determine what is copied
    Frame fill = frame;
    fill.role = NestRole::kFillPadding;
    Stmt filled = settle(std::move(fill), position);
    return ir::block({std::move(filled), settle(std::move(frame), position)});
  }

  // Lanes, and loops around the loop over tiles, run for every tile, whole or partial.
  const bool at_every_tile =
      (frame.in_vector || frame.known(edge.inner)) && facts_.range(last).lo < facts_.range(limit).hi;
  const auto partial = [&] {
    const Facts::Mark mark = facts_.mark();
    Frame fill = frame, copy = frame;
    fill.role = NestRole::kFillPadding;
    Stmt filled = settle(std::move(fill), position);
    const Expr first = affine(start + copy.value[edge.outer] * Expr(edge.factor));
    const std::int64_t* end = as_const_int(limit);
    if (end != nullptr && facts_.range(first).lo >= *end) return filled;
    Expr start_limit = limit;
    if (end != nullptr && !at_every_tile && ir::is_multiple(ir::to_linear(first), edge.factor)) {
      // The partial tile always has the same extent.
      if (*end % edge.factor == 0) return filled;
      start_limit = *end - *end % edge.factor + 1;
      // An element must be filled and copied by the same thread, because nothing orders two threads here. Where a
      // shorter loop would distribute the elements otherwise, guard_root() restricts the copy instead.
      if (!copy.known(edge.inner) && !determines_threads(copy, edge.inner)) {
        copy.narrow(edge.inner, *end % edge.factor);
      }
    }
    const bool may_lie_outside = !facts_.proves_less(first, start_limit);
    if (may_lie_outside) facts_.assume_less(first, start_limit);
    Stmt copied = settle(std::move(copy), position);
    if (may_lie_outside) copied = ir::make_if(ir::likely(first < start_limit), std::move(copied));
    facts_.reset(mark);
    return ir::block({std::move(filled), std::move(copied)});
  };
  if (frame.in_vector || frame.known(edge.inner) || facts_.range(last).lo >= facts_.range(limit).hi) return partial();

  // As for a pivot: first the whole tiles, then the last one, of which a constant part lies in the tensor.
  const std::int64_t* from = as_const_int(start);
  const std::int64_t* end = as_const_int(limit);
  const Facts::Mark mark = facts_.mark();
  if (from == nullptr || end == nullptr) {
    facts_.assume_less(last, limit);
    Stmt whole = settle(frame, position);
    facts_.reset(mark);
    return ir::make_if(last < limit, std::move(whole), partial());
  }
  const Expr at = frame.value[edge.outer];
  const std::int64_t full = (*end - *from) / edge.factor;
  const ir::Interval range = facts_.range(at);
  Stmt whole;
  if (range.lo < full) {
    facts_.assume_less(at, full);
    if (const auto* ref = at.as<ir::VarRef>()) facts_.bind(ref->var, {range.lo, full - 1});
    whole = settle(frame, position);
    facts_.reset(mark);
  }
  ir::Var constant;
  if (const auto* ref = at.as<ir::VarRef>(); ref != nullptr && std::max(full, range.lo) == range.hi) {
    constant = ir::Var(ref->var.name());
    facts_.define(constant, at, {range.hi, range.hi});
    frame.value[edge.outer] = constant;
  }
  Stmt tail = partial();
  facts_.reset(mark);
  if (constant.defined()) tail = ir::make_let(constant, range.hi, std::move(tail));
  return whole.defined() ? ir::make_if(at < full, std::move(whole), std::move(tail)) : tail;
}

Stmt NestBuilder::guard(Frame frame, int position, int axis) {
  const Expr value = frame.value[axis], limit = frame.extent[axis];
  if (facts_.proves_less(value, limit)) return settle(std::move(frame), position);
  const Facts::Mark mark = facts_.mark();
  facts_.assume_less(value, limit);
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  return ir::make_if(ir::likely(value < limit), std::move(body));
}

Stmt NestBuilder::guard_root(Frame frame, int position, std::size_t root) {
  const StageGraph& graph = *frame.graph;
  const int axis = graph.roots[root];
  frame.settled[axis] = true;
  const bool fills = frame.role == NestRole::kFillPadding && graph.is_layout_axis(axis);
  if (fills || frame.padded[axis]) return settle(std::move(frame), position);
  const Facts::Mark mark = facts_.mark();
  Expr condition;
  const auto require_less = [&](const Expr& a, const Expr& b) {
    if (facts_.proves_less(a, b)) return;
    facts_.assume_less(a, b);
    condition = condition.defined() ? condition && a < b : a < b;
  };
  const Expr value = frame.value[axis];
  const IterVar& whole = graph.axes[axis];
  if (!graph.is_layout_axis(axis)) require_less(value, frame.extent[axis]);
  if (graph.place.part == ScanPart::kInit && root == 0) {  // a scan may have fewer steps than its init has rows
    const Expr& rows = schedule_.stages[graph.place.scan].op->results.front()->shape[0];
    require_less(affine(frame.region(root).min + value), rows);
  }
  const Span& region = frame.region(root);
  const std::int64_t *length = as_const_int(region.extent), *all = as_const_int(whole.extent());
  const bool is_whole = ir::is_const_int(region.min, 0) && ir::is_const_int(whole.min(), 0) && length != nullptr &&
                        all != nullptr && *length <= *all && !graph.is_layout_axis(axis);
  if (!is_whole) {
    const Expr index = affine(region.min + value);
    require_less(whole.min() - 1, index);
    require_less(index, whole.min() + whole.extent());
  }
  if (frame.limits != nullptr) {
    for (const Limit& limit : *frame.limits) {
      if (limit.root != root) continue;
      const Expr index = affine(region.min + value);
      require_less(affine(limit.span.min - 1), index);
      require_less(index, affine(limit.span.min + limit.span.extent));
    }
  }
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  return condition.defined() ? ir::make_if(ir::likely(condition), std::move(body)) : body;
}

}  // namespace nestwright
