#include "lower/nest/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/operations.h"
#include "nestwright/error.h"

namespace nestwright {

using ir::as_const_int;
using ir::BinaryOp;
using ir::Expr;
using ir::Linear;

namespace {

/// index / factor and index % factor. Affine if the terms that `factor` does not divide stay within one tile.
std::pair<Linear, Linear> tile_of(const Linear& index, std::int64_t factor, const Facts& facts) {
  Linear tile, rest;
  ir::split_multiples(index, Linear{factor, {}}, tile, rest);
  const ir::Interval range = facts.range(rest);
  if (range.lo >= 0 && range.hi < factor) return {std::move(tile), std::move(rest)};
  const Expr whole = index.expr();
  return {ir::to_linear(whole / Expr(factor)), ir::to_linear(whole % Expr(factor))};
}

class BodyRewriter : public ir::Mutator {
 public:
  using Mutator::mutate;
  BodyRewriter(const ir::Substitution& values, const ScheduleState& schedule,
               const std::vector<std::optional<Storage>>& storages, const Facts& facts)
      : values_(values), schedule_(schedule), storages_(storages), facts_(facts) {}

  Expr mutate(const Expr& e) override {
    if (const auto* ref = e.as<ir::VarRef>()) {
      const auto found = values_.find(ref->var);
      return found != values_.end() ? found->second : e;
    }
    if (const auto* choice = e.as<ir::Select>()) {
      Expr condition = mutate(choice->condition);
      Expr if_true = mutate_under(choice->if_true, condition), if_false = mutate_under(choice->if_false, !condition);
      return ir::make_select(std::move(condition), std::move(if_true), std::move(if_false));
    }
    if (const auto* n = e.as<ir::Binary>(); n != nullptr && (n->op == BinaryOp::kAnd || n->op == BinaryOp::kOr)) {
      Expr first = mutate(n->a);
      Expr second = mutate_under(n->b, n->op == BinaryOp::kAnd ? first : !first);
      return ir::make_binary(n->op, std::move(first), std::move(second));
    }
    const auto* load = e.as<ir::Load>();
    if (load == nullptr) return mutate_children(e);
    std::vector<Expr> indices;
    for (const Expr& index : load->indices) {
      indices.push_back(index.as<ir::VarRef>() ? mutate(index) : affine(mutate(index)));
    }
    const Result producer = schedule_.producer(load->buffer);
    if (producer.stage < 0) return read(load->buffer, std::move(indices));
    const auto& storage = storages_[producer.stage];
    check(storage.has_value(), "a stage is read where it has no storage");
    return read(storage->buffers[producer.number], storage_indices(*storage, indices, facts_));
  }

 private:
  Expr mutate_under(const Expr& e, const Expr& condition) {
    const Expr outer = condition_;
    condition_ = outer.defined() ? outer && condition : condition;
    Expr result = mutate(e);
    condition_ = outer;
    return result;
  }

  /// A load that has a mask if only an enclosing condition keeps it within bounds: a select may evaluate both sides.
  Expr read(const ir::Buffer& buffer, std::vector<Expr> indices) const {
    bool inside = true;
    for (std::size_t d = 0; condition_.defined() && inside && d < indices.size(); ++d)
      inside = facts_.range(indices[d]).lo >= 0 && facts_.proves_less(indices[d], buffer->shape[d]);
    return ir::make_load(buffer, std::move(indices), inside ? Expr() : condition_);
  }

  const ir::Substitution& values_;
  const ScheduleState& schedule_;
  const std::vector<std::optional<Storage>>& storages_;
  const Facts& facts_;
  Expr condition_;  ///< under which the current expression is evaluated; undefined: always
};

}  // namespace

Expr relative_index(const Expr& index, const Linear& start, const Facts& facts) {
  if (start.is_constant() && start.constant == 0) return index;
  Linear result = ir::to_linear(facts.expanded(index));
  return result.add(start, -1).expr();
}

Expr padded_extent(const Storage& storage, int axis) {
  const StageGraph& graph = *storage.graph;
  if (graph.state->layout.empty() || !graph.is_layout_axis(axis)) return {};
  const AxisEdge& edge = graph.edges[graph.edge_of[axis]];
  for (std::size_t d = 0; d < graph.state->layout.size(); ++d) {
    if (graph.state->layout[d] == graph.axes[edge.outer]) return storage.buffers.front()->shape[d] * Expr(edge.factor);
  }
  return {};
}

namespace {

/// The strides of a stage's storage of `shape`, with rows padded by storage_align; empty if it is compact.
std::vector<Expr> aligned_strides(const StageState& state, const std::vector<Expr>& shape) {
  if (state.alignments.empty()) return {};
  const auto& dimensions = state.layout.empty() ? state.op.compute()->axes : state.layout;
  std::vector<Expr> strides(shape.size());
  Expr stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    for (const AlignNote& note : state.alignments) {
      if (note.axis != dimensions[d]) continue;
      const Expr factor(note.factor);
      stride = stride + (Expr(note.offset) - stride) % factor;
    }
    strides[d] = stride;
    stride = stride * shape[d];
  }
  return strides;
}

}  // namespace

Storage make_storage(const Frame& frame, const Facts& facts) {
  const StageGraph& graph = *frame.graph;
  const StageState& state = *graph.state;
  Storage result;
  result.graph = &graph;
  for (int axis = 0; axis < graph.rank; ++axis)
    result.start.push_back(ir::to_linear(facts.expanded(frame.region(axis).min)));

  std::vector<Expr> shape;
  if (state.layout.empty()) {
    for (int axis = 0; axis < graph.rank; ++axis) shape.push_back(frame.extent[axis]);
  } else {
    for (const IterVar& dimension : state.layout) shape.push_back(frame.extent[graph.find(dimension)]);
  }
  for (const Expr& extent : shape) {
    if (is_private(state) && as_const_int(extent) == nullptr) {
      throw LowerError(
          fmt::format("{} is kept in {} scope, but its size is not constant there: attach it to an inner loop",
                      state.name, ir::scope_name(state.scope)));
    }
  }
  const std::vector<Expr> strides = aligned_strides(state, shape);
  for (const ir::Buffer& value : state.op->results) {
    std::string name = result_name(state.name, result.buffers.size(), state.op->results.size());
    result.buffers.emplace_back(std::move(name), value->element, shape, state.scope, strides);
  }
  return result;
}

Storage make_scan_storage(const StageGraph& graph) {
  Storage result;
  result.graph = &graph;
  std::size_t rank = 0;
  const StageState& state = *graph.state;
  for (const ir::Buffer& value : state.op->results) {
    std::string name = result_name(state.name, result.buffers.size(), state.op->results.size());
    result.buffers.emplace_back(std::move(name), value->element, value->shape, state.scope);
    rank = std::max(rank, value->shape.size());
  }
  result.start.resize(rank);
  return result;
}

Storage scan_part_storage(const StageGraph& graph, const Storage& scan) {
  Storage result{{}, std::vector<Linear>(graph.rank), &graph};
  for (const int number : graph.place.results) result.buffers.push_back(scan.buffers[static_cast<std::size_t>(number)]);
  return result;
}

std::vector<Linear> apply_layout(const Storage& storage, const std::vector<Linear>& position, const Facts& facts) {
  const StageGraph& graph = *storage.graph;
  std::vector<Linear> result(graph.state->layout.size());
  const auto dimension = [&](const IterVar& axis) {
    for (std::size_t d = 0; d < result.size(); ++d) {
      if (graph.state->layout[d] == axis) return d;
    }
    throw InternalError("internal error: an axis is missing in a layout");
  };
  for (int axis = 0; axis < graph.rank; ++axis) {
    if (!graph.is_layout_axis(axis)) {
      result[dimension(graph.axes[axis])] = position[axis];
      continue;
    }
    const AxisEdge& edge = graph.edges[graph.edge_of[axis]];
    auto [tile, rest] = tile_of(position[axis], edge.factor, facts);
    result[dimension(graph.axes[edge.outer])] = std::move(tile);
    result[dimension(graph.axes[edge.inner])] = std::move(rest);
  }
  return result;
}

std::vector<Expr> storage_indices(const Storage& storage, const std::vector<Expr>& indices, const Facts& facts) {
  std::vector<Expr> result;
  result.reserve(indices.size());
  for (std::size_t d = 0; d < indices.size(); ++d)
    result.push_back(relative_index(indices[d], storage.start[d], facts));
  if (storage.graph->state->layout.empty()) return result;
  std::vector<Linear> position;
  position.reserve(result.size());
  for (const Expr& index : result) position.push_back(ir::to_linear(index));
  result.clear();
  for (const Linear& index : apply_layout(storage, position, facts)) result.push_back(index.expr());
  return result;
}

Expr rewrite_body(const Expr& e, const ir::Substitution& values, const ScheduleState& schedule,
                  const std::vector<std::optional<Storage>>& storages, const Facts& facts) {
  return BodyRewriter(values, schedule, storages, facts).mutate(e);
}

}  // namespace nestwright
