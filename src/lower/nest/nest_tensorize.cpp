// Builds the tiles that an intrinsic computes.
#include <fmt/format.h>

#include <algorithm>

#include "lower/nest/nest_builder.h"
#include "lower/nest/tile_check.h"
#include "nestwright/error.h"
#include "schedule/state/match_pattern.h"

namespace nestwright {

using ir::Expr;
using ir::Stmt;

namespace {

/// Throws LowerError if the buffer's last dimensions do not have the strides that the placeholder declares.
void check_strides(const std::string& stage, const Tensor& declared, const ir::Buffer& buffer,
                   const std::string& intrinsic) {
  const std::vector<Expr>& wanted = declared.buffer()->strides;
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    const int dimension = buffer->rank() - static_cast<int>(wanted.size() - d);
    const Expr given = buffer->stride(dimension);
    const std::int64_t *a = ir::as_const_int(wanted[d]), *b = ir::as_const_int(given);
    if (a != nullptr && b != nullptr && *a == *b) continue;
    throw LowerError(fmt::format("{} is tensorized by {}, whose {} does not have the stride of dimension {} of {}",
                                 stage, intrinsic, declared.name(), dimension, buffer->name));
  }
}

}  // namespace

bool NestBuilder::is_partial_tile(const Frame& frame, int position) {
  const StageGraph& graph = *frame.graph;
  const auto is_partial = [&](int axis) {
    const std::int64_t *now = ir::as_const_int(frame.extent[axis]), *all = ir::as_const_int(graph.axes[axis].extent());
    if (now == nullptr || all == nullptr || *now == *all) return false;
    return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const AxisEdge& edge) {
      return edge.kind == AxisEdge::Kind::kSplit && edge.inner == axis &&
             (edge.split->tail.kind == TailKind::kPartition || edge.split->tail.kind == TailKind::kCompose);
    });
  };
  return std::any_of(graph.leaves.begin() + position, graph.leaves.end(), is_partial);
}

Stmt NestBuilder::open_tile(Frame frame, int position) {
  const StageGraph& graph = *frame.graph;
  const auto refuse = [&](const std::string& why) {
    throw LowerError(fmt::format("{} is tensorized at {} by {}, but {}", graph.state->name,
                                 graph.state->tensorize->loop.name(), graph.state->tensorize->intrinsic->name, why));
  };
  for (std::size_t p = static_cast<std::size_t>(position); p < graph.leaves.size(); ++p) {
    const int axis = graph.leaves[p];
    const std::int64_t *now = ir::as_const_int(frame.extent[axis]), *all = ir::as_const_int(graph.axes[axis].extent());
    if (now == nullptr || all == nullptr || *now != *all) {
      refuse(fmt::format("loop {} is cut short there: make the extents divisible", graph.axes[axis].name()));
    }
  }
  for (std::size_t r = 0; r < graph.compute->axes.size() + graph.compute->reduce_axes.size(); ++r) {
    const int axis = graph.roots[r];
    const Span own = frame.span(axis, facts_), tile = frame.root_span(r, facts_);
    const IterVar& whole = graph.axes[axis];
    const bool inside = facts_.proves_less(own.min + own.extent - 1, frame.extent[axis]) &&
                        facts_.proves_less(whole.min() - 1, tile.min) &&
                        facts_.proves_less(tile.min + tile.extent - 1, whole.min() + whole.extent());
    if (!inside) refuse(fmt::format("a tile may lie partly outside of axis {}: make it divisible", whole.name()));
  }
  for (std::size_t p = static_cast<std::size_t>(position); p < graph.leaves.size(); ++p) {
    frame.value[graph.leaves[p]] = 0;
  }
  frame.in_tile = true;
  return settle(std::move(frame), static_cast<int>(graph.leaves.size()) - 1);
}

Stmt NestBuilder::tile_statement(const Frame& frame, const std::vector<Expr>& indices, const ir::Substitution& values) {
  const StageGraph& graph = *frame.graph;
  const TensorizeNote& note = *graph.state->tensorize;
  const TensorIntrinsic& intrinsic = *note.intrinsic;
  const TensorSlice output{storages_[graph.stage]->buffers.front(), indices};
  if (frame.role == NestRole::kInitToIdentity) {
    Stmt emitted = intrinsic.init(output);
    check_tile(emitted, output, {}, intrinsic, graph.state->name);
    return emitted;
  }

  const PatternMatch match = match_pattern(*graph.state, note.loop, intrinsic);
  if (!match.difference.empty()) {
    throw LowerError(fmt::format("{} is tensorized by {}, which it matches no longer: {}", graph.state->name,
                                 intrinsic.name, match.difference));
  }
  check_strides(graph.state->name, intrinsic.pattern, output.buffer, intrinsic.name);
  std::vector<TensorSlice> inputs;
  for (std::size_t i = 0; i < match.loads.size(); ++i) {
    // Rewritten as a load of the body, so that rewrite_body() alone finds the storage.
    const Expr first = rewrite_body(match.loads[i], values, schedule_, storages_, facts_);
    const auto* load = first.as<ir::Load>();
    const int producer = schedule_.producer(match.loads[i].as<ir::Load>()->buffer).stage;
    if (producer >= 0 && !schedule_.stages[static_cast<std::size_t>(producer)].layout.empty()) {
      throw LowerError(
          fmt::format("{} is tensorized by {} and reads {}, which has a layout of its own: write the layout "
                      "as a tensor of its own",
                      graph.state->name, intrinsic.name, load->buffer->name));
    }
    check_strides(graph.state->name, intrinsic.inputs[i], load->buffer, intrinsic.name);
    inputs.push_back({load->buffer, load->indices});
  }
  Stmt emitted = intrinsic.emit(output, inputs);
  check_tile(emitted, output, inputs, intrinsic, graph.state->name);
  ir::Substitution scalars;
  for (std::size_t i = 0; i < match.scalars.size(); ++i) {
    scalars[intrinsic.scalars[i]] = rewrite_body(match.scalars[i], values, schedule_, storages_, facts_);
  }
  return scalars.empty() ? emitted : ir::substitute(emitted, scalars);
}

}  // namespace nestwright
