// Builds the innermost statements of a nest, and its prefetches.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/traversal/linear.h"
#include "lower/nest/nest_builder.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Stmt;

namespace {

constexpr std::int64_t kCacheLineBytes = 64;
constexpr int kMaxPrefetches = 48;  // at one loop; more would crowd out the loads themselves

/// Advances `index` within `extents` in row-major order, along the last dimension in steps of `step` and then to its
/// last element. False after the last index.
bool next(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& extents, std::int64_t step) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (index[d] + 1 < extents[d]) {
      index[d] = d + 1 == index.size() ? std::min(index[d] + step, extents[d] - 1) : index[d] + 1;
      return true;
    }
    index[d] = 0;
  }
  return false;
}

/// The offset of an element, in elements from the start of its buffer.
ir::Linear flat_offset(const std::vector<ir::Linear>& indices, const std::vector<ir::Linear>& strides) {
  ir::Linear offset;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const ir::Linear& stride = strides[d];
    stride.is_constant() ? offset.add(indices[d], stride.constant) : offset.add(ir::multiply(indices[d], stride));
  }
  return offset;
}

/// Whether the offset `place` certainly lies in the same cache line as `other`; a line has `elements` elements. If the
/// offset of neither within its line is known: whether `place` follows `other` by less than a line and is not the
/// `last` of a row, which may begin another line.
bool same_line(const ir::Linear& place, const std::optional<ir::Linear>& other, std::int64_t elements, bool last) {
  if (!other) return false;
  ir::Linear difference = place;
  difference.add(*other, -1);
  if (!difference.is_constant()) return false;
  const auto in_lines = [&](const ir::LinearTerm& term) { return term.coefficient % elements == 0; };
  if (std::ranges::all_of(place.terms, in_lines)) {
    return ir::floor_div(place.constant, elements) == ir::floor_div(other->constant, elements);
  }
  return difference.constant >= 0 && difference.constant < (last ? 1 : elements);
}

bool is_zero(const Expr& e) {
  const auto* literal = e.as<ir::FloatImm>();
  return literal != nullptr ? literal->value == 0 : ir::is_const_int(e, 0);
}

}  // namespace

Stmt NestBuilder::statement(const Frame& frame) {
  const StageGraph& graph = *frame.graph;
  if (graph.place.part == ScanPart::kScan) return {};  // its steps are attached stages
  ir::Substitution values;
  std::vector<Expr> point;
  for (std::size_t r = 0; r < graph.roots.size(); ++r) {
    const int axis = graph.roots[r];
    const bool of_operation = r < graph.compute->axes.size() + graph.compute->reduce_axes.size();
    if (!of_operation || !frame.known(axis)) continue;
    const Expr& start = frame.region(r).min;
    const Expr index = ir::is_const_int(start, 0) ? frame.value[axis] : affine(start + frame.value[axis]);
    values[graph.axes[axis].var()] = index;
    if (static_cast<int>(r) < graph.rank) point.push_back(index);
  }
  const Storage& storage = *storages_[graph.stage];
  const std::vector<Expr> indices = storage_indices(storage, point, facts_);
  if (frame.in_tile) return tile_statement(frame, indices, values);
  const ir::Reduce* reduce = graph.compute->reduction();
  if (reduce != nullptr && frame.role == NestRole::kCompute) return combine(*reduce, storage, indices, values);
  std::vector<Stmt> stores;
  for (std::size_t r = 0; r < storage.buffers.size(); ++r) {
    const ir::Buffer& buffer = storage.buffers[r];
    Expr value;
    switch (frame.role) {
      case NestRole::kFillPadding:
        value = ir::make_const(0, buffer->element);
        break;
      case NestRole::kInitToIdentity:
        value = rewrite_body(ir::reducer_start(*reduce, r), values, schedule_, storages_, facts_);
        break;
      case NestRole::kInitToCarried: {
        const Storage& output = *storages_[graph.state->carried_from];
        value = ir::make_load(output.buffers[r], storage_indices(output, point, facts_));
        break;
      }
      case NestRole::kCompute:
        value = rewrite_body(graph.compute->bodies[r], values, schedule_, storages_, facts_);
        break;
    }
    stores.push_back(ir::make_store(buffer, indices, std::move(value), {}, graph.state->non_temporal));
  }
  return ir::block(std::move(stores));
}

/// One step of a reduction. All members of a tuple are combined before the first is stored.
Stmt NestBuilder::combine(const ir::Reduce& reduce, const Storage& storage, const std::vector<Expr>& indices,
                          const ir::Substitution& values) {
  const auto body = [&](const Expr& e) { return rewrite_body(e, values, schedule_, storages_, facts_); };
  if (reduce.combiner == nullptr) {
    const ir::Buffer& buffer = storage.buffers.front();
    const Expr before = ir::make_load(buffer, indices);
    const Expr value = body(reduce.values.front());
    // A dot product accumulates into the loaded value, because the instructions add to an operand.
    const auto* call = value.as<ir::Call>();
    if (reduce.reducer == ir::ReducerKind::kSum && call != nullptr && ir::is_dot(call->intrinsic) &&
        is_zero(call->args[0])) {
      return ir::make_store(buffer, indices, ir::dot(call->intrinsic, before, call->args[1], call->args[2]));
    }
    return ir::make_store(buffer, indices, ir::reducer_combine(reduce.reducer, before, value));
  }
  const ir::Combiner& combiner = *reduce.combiner;
  ir::Substitution operands;
  for (std::size_t r = 0; r < storage.buffers.size(); ++r) {
    operands[combiner.left[r]] = ir::make_load(storage.buffers[r], indices);
    operands[combiner.right[r]] = body(reduce.values[r]);
  }
  std::vector<ir::Var> combined;
  std::vector<Stmt> stores;
  for (std::size_t r = 0; r < storage.buffers.size(); ++r) {
    combined.emplace_back(storage.buffers[r]->name, storage.buffers[r]->element);
    stores.push_back(ir::make_store(storage.buffers[r], indices, combined.back()));
  }
  Stmt result = ir::block(std::move(stores));
  for (std::size_t r = storage.buffers.size(); r-- > 0;) {
    result = ir::make_let(combined[r], ir::substitute(combiner.combined[r], operands), std::move(result));
  }
  return result;
}

Stmt NestBuilder::prefetch(const PrefetchNote& note, const Frame& frame, int leaf) {
  const auto* loop = frame.value[leaf].as<ir::VarRef>();
  if (loop == nullptr) return {};  // a single iteration has no next one
  const ir::Buffer& read = note.tensor.buffer();
  const auto [producer, number] = schedule_.producer(read);
  if (producer >= 0 && !storages_[producer].has_value()) {
    throw LowerError(
        fmt::format("{} prefetches {} at loop {}, where it is not stored yet: prefetch what it is made from",
                    graphs_[frame.graph->stage].state->name, note.tensor.name(), note.loop.name()));
  }
  const Storage* storage = producer >= 0 ? &*storages_[producer] : nullptr;
  const ir::Buffer& stored = storage != nullptr ? storage->buffers[number] : read;
  if (stored->scope == ir::Scope::kRegister) {
    throw LowerError(
        fmt::format("{} prefetches {} at loop {}, which is kept in registers: there is nothing to wait for",
                    graphs_[frame.graph->stage].state->name, note.tensor.name(), note.loop.name()));
  }
  if (stored->scope == ir::Scope::kLocal) return {};  // on the stack of the thread, which is in the nearest cache
  const ir::Substitution ahead{{loop->var, loop->var + Expr(note.distance)}};
  std::vector<ir::Linear> start;  // in the storage, layouts aside
  std::vector<std::int64_t> extents;
  const bool is_own = producer == frame.graph->stage;
  std::vector<Span> region = is_own ? regions_.own_region(frame, facts_) : regions_.read_region(read, frame, facts_);
  region.resize(static_cast<std::size_t>(read->rank()));  // drops the reduce axes, which come last
  for (const Span& span : region) {
    Expr first = affine(ir::substitute(facts_.expanded(span.min), ahead));
    if (storage != nullptr) first = relative_index(first, storage->start[start.size()], facts_);
    start.push_back(ir::to_linear(first));
    const std::int64_t* extent = as_const_int(span.extent);
    extents.push_back(extent != nullptr ? *extent : 1);
  }
  std::vector<ir::Linear> strides;
  for (int d = 0; d < stored->rank(); ++d) strides.push_back(ir::to_linear(stored->stride(d)));
  const std::int64_t line = kCacheLineBytes / read->element.bytes();
  // A cache line holds consecutive elements of the tensor only if its storage has no layout.
  const std::int64_t step = storage != nullptr ? 1 : line;
  std::vector<Stmt> stmts;
  std::vector<std::int64_t> offset(extents.size(), 0);
  std::optional<ir::Linear> last;
  const bool has_layout = storage != nullptr && !storage->graph->state->layout.empty();
  std::vector<ir::Linear> element = start, in_layout;
  // Most elements lie in the previous line; expressions are built only for those that begin a new one.
  do {
    for (std::size_t d = 0; d < start.size(); ++d) element[d].constant = start[d].constant + offset[d];
    if (has_layout) in_layout = apply_layout(*storage, element, facts_);
    const std::vector<ir::Linear>& position = has_layout ? in_layout : element;
    ir::Linear place = flat_offset(position, strides);
    const bool ends_row = offset.empty() || offset.back() + 1 == extents.back();
    if (same_line(place, last, line, ends_row)) continue;  // neighbours in the storage may be apart in the tensor
    last = std::move(place);
    std::vector<Expr> indices;
    indices.reserve(position.size());
    for (const ir::Linear& index : position) indices.push_back(index.expr());
    stmts.push_back(ir::make_prefetch(stored, std::move(indices), is_own, 3));
  } while (static_cast<int>(stmts.size()) < kMaxPrefetches && next(offset, extents, step));
  return ir::block(std::move(stmts));
}

}  // namespace nestwright
