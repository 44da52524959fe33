// Decodes fused loops: the values of the two loops that a fused loop stands for.
//
//   for f in 0..m*n:      ->   for f in 0..m*n:
//                                let i = f/n
//                                let j = f%n
//
// Where stages are computed inside a part of the fused loop, both get a value as soon as that part is open, so that the
// stages compute the part only. With f = fo*8 + fi and n = 32:
//
//   for fo in 0..m*4:
//     let i = fo/4
//     let j = fo%4                         the part is i, j*8 .. j*8 + 7
//     T[0, 0..8] = ...
//     for fi in 0..8: C[i, j*8 + fi] = T[0, fi]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/traversal/equal.h"
#include "lower/nest/nest_builder.h"
#include "nestwright/error.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Linear;
using ir::Stmt;

namespace {

/// The strides of the loops that the value of a fused loop is a sum of, if they are known.
struct Strides {
  std::int64_t step = 0;   ///< greatest common divisor of the strides of the loops that are not vectorised
  std::int64_t lanes = 1;  ///< values that the lanes of one vector span
  bool known = true;
};

void add_strides(const Frame& frame, int axis, std::int64_t stride, Strides& strides) {
  const StageGraph& graph = *frame.graph;
  if (graph.position[axis] >= 0) {
    const std::int64_t* extent = as_const_int(frame.extent[axis]);
    if (graph.kinds[axis] != ir::LoopKind::kVectorized) {
      strides.step = std::gcd(strides.step, stride);
    } else if (extent != nullptr) {
      strides.lanes += (*extent - 1) * stride;
    } else {
      strides.known = false;
    }
    return;
  }
  const int e = graph.edge_of[axis];
  if (e < 0 || graph.edges[e].is_composed()) {  // part of a further fused loop
    strides.known = false;
    return;
  }
  const AxisEdge& edge = graph.edges[e];
  add_strides(frame, edge.outer, stride * frame.factor(edge), strides);
  add_strides(frame, edge.inner, stride, strides);
}

/// The greatest common divisor of a row's length and the constant and coefficients of `sum`.
std::int64_t step_of(const Linear& sum, std::int64_t row) {
  std::int64_t step = std::gcd(row, sum.constant);
  for (const ir::LinearTerm& term : sum.terms) step = std::gcd(step, term.coefficient);
  return step;
}

/// Whether all lanes of each vector have one value of the outer loop.
bool has_rows_of_vectors(const Frame& frame, const AxisEdge& fuse, std::int64_t row) {
  Strides strides{.step = row};
  add_strides(frame, fuse.parent, 1, strides);
  return strides.known && strides.lanes <= strides.step;
}

/// Whether the lanes of one vector may lie in two rows of the part.
bool has_vectors_across_rows(const Frame& frame, const AxisEdge& fuse, const FusedPart& part) {
  return part.rows > 1 && frame.graph->vectorized[fuse.parent] && !has_rows_of_vectors(frame, fuse, part.row);
}

/// The leaves that an axis is made of or, for a part of a fused loop, belongs to: a set of positions.
AxisSet positions_of(const StageGraph& graph, int axis) {
  if (graph.position[axis] >= 0) return AxisSet().set(static_cast<std::size_t>(graph.position[axis]));
  if (const int e = graph.edge_of[axis]; e >= 0) {
    return positions_of(graph, graph.edges[e].outer) | positions_of(graph, graph.edges[e].inner);
  }
  for (const AxisEdge& edge : graph.edges) {
    const bool is_fused = edge.kind == AxisEdge::Kind::kFuse && (edge.outer == axis || edge.inner == axis);
    if (is_fused) return positions_of(graph, edge.parent);
  }
  return {};  // a loop that another stage has opened
}

/// The value of the outer loop at `fused`, which lies in the part.
Expr outer_at(const FusedPart& part, const Expr& fused, const Expr& row) {
  if (part.rows == 1) return part.outer;
  return part.outer + affine(part.inner + fused - part.start) / row;
}

}  // namespace

Stmt NestBuilder::decode_fused(Frame frame, int position, const AxisEdge& edge) {
  const StageGraph& graph = *frame.graph;
  const Expr fused = frame.value[edge.parent];
  const FusedPart* part = frame.part(edge);
  const Expr inner_extent = part != nullptr ? Expr(part->row) : frame.extent[edge.inner];
  const Expr outer_extent = part != nullptr ? part->outer_extent : frame.extent[edge.outer];
  if (ir::is_const_int(inner_extent, 1) || ir::is_const_int(outer_extent, 1)) {
    const bool single_inner = ir::is_const_int(inner_extent, 1);
    frame.value[edge.outer] = single_inner ? fused : Expr(0);
    frame.value[edge.inner] = single_inner ? Expr(0) : fused;
    return settle(std::move(frame), position);
  }
  if (part != nullptr && part->rows == 1) {
    frame.value[edge.outer] = part->outer;
    frame.value[edge.inner] = affine(part->inner + fused - part->start);
    return settle(std::move(frame), position);
  }
  const Expr outer_value = fused / inner_extent, inner_value = fused % inner_extent;
  if (frame.in_vector || as_const_int(fused) != nullptr) {
    frame.value[edge.outer] = outer_value;
    frame.value[edge.inner] = inner_value;
    return settle(std::move(frame), position);
  }
  const ir::Var outer(graph.axes[edge.outer].name()), inner(graph.axes[edge.inner].name());
  const Facts::Mark mark = facts_.mark();
  facts_.bind_loop(outer, outer_extent);
  facts_.bind_loop(inner, inner_extent);
  if (part != nullptr) facts_.define(outer, outer_at(*part, fused, inner_extent), facts_.range(outer));
  const std::size_t threads_around = thread_vars_.size();
  if (differs_between_threads(fused)) {
    thread_vars_.emplace_back(outer, outer_extent);
    thread_vars_.emplace_back(inner, inner_extent);
  }
  frame.value[edge.outer] = outer;
  frame.value[edge.inner] = inner;
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  thread_vars_.resize(threads_around);
  return ir::make_let(outer, outer_value, ir::make_let(inner, inner_value, std::move(body)));
}

/// A fused loop of which more has been opened than its part in `frame` says, so that stages further inside need less;
/// nullptr if there is none.
const AxisEdge* NestBuilder::fused_in_part(const Frame& frame, int position) const {
  const StageGraph& graph = *frame.graph;
  if (frame.role != NestRole::kCompute || frame.in_vector) return nullptr;
  for (auto edge = graph.edges.rbegin(); edge != graph.edges.rend(); ++edge) {
    if (edge->kind != AxisEdge::Kind::kFuse || frame.known(edge->parent)) continue;
    // The lanes of a vector have one value of the outer loop once all other loops are open.
    const bool refines = frame.part(*edge) != nullptr && graph.vectorized[edge->parent];
    if ((refines || has_stages_in_part(graph, *edge, position)) && part_of(frame, *edge)) return &*edge;
  }
  return nullptr;
}

/// Whether a stage to which the open part matters is attached at leaf `position` or further inside: where only a part
/// of the fused loop is open, any stage; where all of it is open, a stage that is not private to a thread, if one of
/// the loop's leaves is bound to a thread index.
bool NestBuilder::has_stages_in_part(const StageGraph& graph, const AxisEdge& edge, int position) const {
  const AxisSet own = positions_of(graph, edge.parent);
  bool threads = false;
  for (std::size_t leaf = static_cast<std::size_t>(position); leaf < graph.leaves.size(); ++leaf) {
    threads = threads || (own[leaf] && ir::is_thread_index(graph.kinds[graph.leaves[leaf]]));
    const bool all_open = (own >> (leaf + 1)).none();
    if (all_open && !threads) return false;
    for (const int stage : regions_.attached(graph.stage, static_cast<int>(leaf))) {
      if (!all_open || !is_private(schedule_.stages[static_cast<std::size_t>(stage)])) return true;
    }
  }
  return false;
}

/// Whether `span` has all values of the fused loop, so that no part of it is open.
bool NestBuilder::covers_fused_loop(const Frame& frame, const AxisEdge& edge, const Span& span) const {
  return ir::is_const_int(span.min, 0) && facts_.proves_less(frame.extent[edge.parent] - 1, span.extent);
}

/// The part of a fused loop that is open. Absent if its length is not constant, if it is not smaller than the part that
/// the frame knows, or if intervals cannot bound the indices into what is computed for it. If it `has_lets`,
/// open_fused_part() has yet to make lets of its outer and inner values.
std::optional<FusedPart> NestBuilder::touched_part(const Frame& frame, const AxisEdge& edge) const {
  const Span now = frame.span(edge.parent, facts_);
  const FusedPart* before = frame.part(edge);
  const std::int64_t* length = as_const_int(now.extent);
  const std::int64_t* row = before != nullptr ? &before->row : as_const_int(frame.extent[edge.inner]);
  const Expr outer_extent = before != nullptr ? before->outer_extent : frame.extent[edge.outer];
  if (length == nullptr || row == nullptr || *length < 1 || *row < 1) return {};
  if (covers_fused_loop(frame, edge, now)) return {};
  if (before != nullptr && *length >= before->length) return {};

  FusedPart part{.start = now.min, .length = *length, .row = *row, .outer_extent = outer_extent};
  if (before != nullptr && before->rows == 1) {
    part.outer = before->outer;
    part.inner = affine(before->inner + part.start - before->start);
    part.rows = 1;
    return part;
  }
  Linear whole, rest;
  ir::split_multiples(ir::to_linear(now.min), Linear{*row, {}}, whole, rest);
  const std::int64_t step = step_of(rest, *row);
  const ir::Interval range = facts_.range(rest);
  part.has_lets = range.lo < 0 || range.hi >= *row || (before != nullptr && before->has_lets);
  part.outer = whole.expr();
  part.inner = rest.expr();
  const std::int64_t last = part.has_lets ? *row - step : range.hi;  // the largest value of `inner`
  part.rows = (last + *length - 1) / *row + 1;
  const std::int64_t* rows = as_const_int(outer_extent);
  if (part.rows > 1 && rows != nullptr && part.rows >= *rows) return {};
  // Indices into what is computed are differences of quotients, which intervals bound only in these cases.
  const bool is_aligned = part.rows == 1 || (rest.is_constant() && rest.constant == 0 && *length % *row == 0);
  if (before != nullptr && !is_aligned) return {};
  return part;
}

/// The same; absent if a vector of it may cross rows, too.
std::optional<FusedPart> NestBuilder::part_of(const Frame& frame, const AxisEdge& edge) const {
  std::optional<FusedPart> part = touched_part(frame, edge);
  if (part && has_vectors_across_rows(frame, edge, *part)) part.reset();
  return part;
}

/// Why it cannot be told what stages need in the open part of a fused loop; empty if it can be, or if no part is open.
std::string NestBuilder::unknown_part_reason(const Frame& frame, const AxisEdge& edge) const {
  if (frame.known(edge.parent) || frame.part(edge) != nullptr) return {};
  if (covers_fused_loop(frame, edge, frame.span(edge.parent, facts_))) return {};
  const std::string& row = frame.graph->axes[edge.inner].name();
  if (as_const_int(frame.extent[edge.inner]) == nullptr) return "the extent of " + row + " is not constant";
  const std::optional<FusedPart> part = touched_part(frame, edge);
  return part && has_vectors_across_rows(frame, edge, *part) ? "vectors cross the ends of " + row : std::string();
}

/// Throws LowerError where one of `stages`, attached at leaf `position`, needs less in a part of a fused loop than in
/// all of it, but how much cannot be told: it would be computed whole in each part.
void NestBuilder::require_known_parts(const Frame& frame, int position, const std::vector<int>& stages) const {
  const StageGraph& graph = *frame.graph;
  const auto same = [](const Span& a, const Span& b) { return ir::equal(a.extent, b.extent); };
  for (const AxisEdge& edge : graph.edges) {
    if (edge.kind != AxisEdge::Kind::kFuse) continue;
    const std::string reason = unknown_part_reason(frame, edge);
    if (reason.empty()) continue;
    Frame point = frame;
    point.value[edge.outer] = point.value[edge.inner] = Expr(0);
    const auto needed = attached_regions(frame, stages).regions, least = attached_regions(point, stages).regions;
    for (std::size_t n = 0; n < stages.size(); ++n) {
      if (std::ranges::equal(needed[n], least[n], same)) continue;
      throw LowerError(fmt::format(
          "{} is computed at {} of {}, a part of the loop that {} and {} were fused to; what a part needs of it cannot "
          "be told, as {}: compute it outside of the fused loop, or at a loop that is no part",
          schedule_.stages[stages[n]].name, graph.axes[graph.leaves[position]].name(), graph.state->name,
          graph.axes[edge.outer].name(), graph.axes[edge.inner].name(), reason));
    }
  }
}

Stmt NestBuilder::open_fused_part(Frame frame, int position, const AxisEdge& edge) {
  const StageGraph& graph = *frame.graph;
  FusedPart part = *part_of(frame, edge);
  const FusedPart* before = frame.part(edge);
  const std::int64_t row = part.row;
  if (frame.parts.empty()) frame.parts.resize(graph.edges.size());
  FusedPart& stored = frame.parts[static_cast<std::size_t>(&edge - graph.edges.data())];
  if (!part.has_lets) {
    stored = std::move(part);
    return settle(std::move(frame), position);
  }
  const Linear rest = ir::to_linear(part.inner);
  const std::int64_t step = step_of(rest, row), steps = row / step;
  const Expr in_steps = ir::divided(rest, step);
  const Expr outer_value = in_steps / Expr(steps), inner_value = in_steps % Expr(steps);
  const ir::Var outer(graph.axes[edge.outer].name()), inner(graph.axes[edge.inner].name());
  const Facts::Mark mark = facts_.mark();
  const std::size_t threads_around = thread_vars_.size();
  const Expr whole = part.outer;
  part.outer = affine(whole + outer);
  part.inner = affine(Expr(step) * inner);
  const ir::Interval outer_range = facts_.range(outer_value), inner_range{0, steps - 1};
  if (before != nullptr) {  // stages of the larger part have their place relative to it
    facts_.define(outer, affine(outer_at(*before, part.start, row) - whole), outer_range);
  } else {
    facts_.bind(outer, outer_range);
  }
  facts_.bind(inner, inner_range);
  if (differs_between_threads(part.start)) {
    thread_vars_.emplace_back(outer, part.outer_extent);
    thread_vars_.emplace_back(inner, Expr(steps));
  }
  stored = std::move(part);
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  thread_vars_.resize(threads_around);
  return ir::make_let(outer, outer_value, ir::make_let(inner, inner_value, std::move(body)));
}

}  // namespace nestwright
