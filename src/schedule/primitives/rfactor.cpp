// rfactor: makes a reduction loop a spatial axis of partial results, which the stage then reduces.
//
//   for i:                                       for ki, i:
//     B[i] = 0                                     B.rf[ki, i] = 0
//     for ko, ki: B[i] += f(i, ko*4 + ki)   ->     for ko: B.rf[ki, i] += ko*4 + ki < n ? f(i, ko*4 + ki) : 0
//                                                for i:
//                                                  B[i] = 0
//                                                  for ki.v: B[i] += B.rf[ki.v, i]
//
// Where the reduction has an init, B starts from it; B.rf starts from the identity.
// B.rf is a new stage over fresh axes: the loop's axis at position `axis` among the spatial ones, then a reduce axis
// for each other loop of the reduction, unrolled where that loop was. Splits and fusions of reduce loops are folded
// into its indices; iterations past the extent of a split combine the identity. The spatial loops of the stage are
// unchanged and are followed by one reduce loop over the partial results.
//
// The loops of the new stage have as many iterations as those of the old one run (schedule/state/iteration_counts.h).
// The loop of the partial results may have more, where a split by a factor above the extent made it: its iterations are
// rounded up to the next power of two, but not beyond the factor, so that vectors of partial results are whole. Of 12
// iterations there are 16 partial results for the factors 16 and 100, and 14 for 14.
//
// Preconditions:
//  1. The stage is a reduction, and the loop is one of its leaves, not annotated.
//  2. `axis` is at least 0 and at most the rank of the tensor.
//  3. No split of a reduction loop is composed.
//  4. No stage is computed at a reduction loop, and the stage has no prefetches and is not tensorized.
//  5. The stage is not part of a blocked reduction.
//  6. The partial results are no larger than any address space.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expression/operations.h"
#include "ir/traversal/rewrite.h"
#include "schedule/primitives/primitive.h"
#include "schedule/state/iteration_counts.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {
namespace {

void check_reduction(const Primitive& primitive, const IterVar& loop, int axis) {
  const StageState& stage = primitive.stage();
  primitive.require_no_part({ScanPart::kScan}, "which is no reduction");
  if (stage.op.compute()->reduction() == nullptr) primitive.refuse(stage.name, "it is no reduction");
  primitive.position(loop);
  if (!loop.is_reduce()) {
    primitive.refuse(loop, fmt::format("it is no loop of the reduction of {}: name one of those", stage.name));
  }
  if (stage.tile_stage >= 0 || stage.carried_from >= 0) {
    primitive.refuse(stage.name, "it is part of a blocked reduction: rfactor comes before cache_write");
  }
  const int rank = static_cast<int>(stage.op.compute()->axes.size());
  if (axis < 0 || axis > rank) {
    primitive.refuse(loop, fmt::format("axis {} is no position among the {} axes of {}", axis, rank, stage.name));
  }
  for (const Relation& relation : stage.relations) {
    const auto* split = std::get_if<SplitRelation>(&relation);
    if (split != nullptr && split->parent.is_reduce() && !split->counts.empty()) {
      primitive.refuse(split->outer, "its split is composed: split the reduction with another tail");
    }
  }
  if (stage.tensorize) primitive.refuse(stage.name, "it is tensorized: tensorize its partial results instead");
  if (!stage.prefetches.empty()) {
    primitive.refuse(stage.name, "it prefetches what its partial results will read: prefetch afterwards");
  }
  for (const IterVar& leaf : stage.leaves) {
    if (!leaf.is_reduce()) continue;
    if (leaf == loop) primitive.require_replaceable(leaf);
    primitive.require_unattached(leaf);
    primitive.require_unmentioned(leaf);
  }
}

using Counts = std::map<IterVar, Expr>;

/// The number of partial results that `loop` makes. `counts` has the iterations of all loops.
Expr partial_count(const StageState& stage, const IterVar& loop, const Counts& counts, bool in_threads) {
  for (const Relation& relation : stage.relations) {
    const auto* split = std::get_if<SplitRelation>(&relation);
    if (split == nullptr || split->inner != loop || split->nparts != 0) continue;
    const std::int64_t* whole = ir::as_const_int(counts.at(split->parent));
    const std::int64_t factor = split->factors.front();
    if (in_threads || whole == nullptr || factor <= *whole) return Expr(factor);
    const std::uint64_t rounded_up = std::bit_ceil(static_cast<std::uint64_t>(*whole));
    return Expr(static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(factor), rounded_up)));
  }
  return counts.at(loop);
}

/// Expresses the axes of the reduction in terms of its loops, whose values `values` holds on entry and which have
/// `counts` iterations. `guard` becomes the condition that no axis is past its end, and stays undefined where none can
/// be.
void resolve(const StageState& stage, const Counts& counts, ir::Substitution& values, Expr& guard) {
  for (auto relation = stage.relations.rbegin(); relation != stage.relations.rend(); ++relation) {
    if (const auto* fuse = std::get_if<FuseRelation>(&*relation); fuse != nullptr && fuse->fused.is_reduce()) {
      const Expr fused = values.at(fuse->fused.var());
      values[fuse->outer.var()] = fused / counts.at(fuse->inner);
      values[fuse->inner.var()] = fused % counts.at(fuse->inner);
    }
    const auto* split = std::get_if<SplitRelation>(&*relation);
    if (split == nullptr || !split->parent.is_reduce()) continue;
    const Expr &whole = counts.at(split->parent), &factor = counts.at(split->inner);
    const Expr index = values.at(split->outer.var()) * factor + values.at(split->inner.var());
    values[split->parent.var()] = index;
    if (ir::is_const_int(whole % factor, 0)) continue;
    const Expr inside = index < whole;
    guard = guard.defined() ? guard && inside : inside;
  }
  for (const IterVar& axis : stage.op.compute()->reduce_axes) {
    Expr& value = values.at(axis.var());
    const bool whole = std::find(stage.leaves.begin(), stage.leaves.end(), axis) != stage.leaves.end();
    if (!whole) value = axis.min() + value;
  }
}

/// The members of a reduction of `values` over `axes` with the reducer of `like`, from `init` or the identity.
std::vector<Expr> reductions(const ir::Reduce& like, const std::vector<Expr>& values, const std::vector<IterVar>& axes,
                             const std::vector<Expr>& init = {}) {
  ir::Reduce reduce{like.reducer, values, {}, like.combiner, 0, init};
  for (const IterVar& axis : axes) reduce.axes.push_back({axis.var(), axis.min(), axis.extent()});
  std::vector<Expr> members;
  for (std::size_t r = 0; r < values.size(); ++r) {
    reduce.result = static_cast<int>(r);
    members.push_back(ir::make_reduce(reduce));
  }
  return members;
}

struct Partial {
  ComputeOp op;
  std::map<IterVar, IterVar> loops;  ///< from loops of the reduction to axes of op
};

Partial make_partial(const StageState& stage, const IterVar& loop, int axis, const Counts& counts) {
  const ComputeOp& whole = *stage.op.compute();
  Partial result;
  ir::Substitution values;
  for (const IterVar& spatial : whole.axes) {
    result.op.axes.emplace_back(spatial.name(), spatial.min(), spatial.extent(), AxisKind::kSpatial);
    values[spatial.var()] = result.op.axes.back();
  }
  for (const IterVar& leaf : stage.leaves) {
    if (!leaf.is_reduce()) continue;
    const AxisKind kind = leaf == loop ? AxisKind::kSpatial : AxisKind::kReduce;
    // A loop made by a relation starts at 0; an axis of the reduction starts at its min.
    const IterVar own(leaf.name(), kind == AxisKind::kSpatial ? Expr(0) : leaf.min(), counts.at(leaf), kind);
    if (leaf == loop) {
      result.op.axes.insert(result.op.axes.begin() + axis, own);
    } else {
      result.op.reduce_axes.push_back(own);
    }
    values[leaf.var()] = kind == AxisKind::kSpatial ? leaf.min() + own : Expr(own);
    result.loops.emplace(leaf, own);
  }
  Expr guard;
  resolve(stage, counts, values, guard);
  const ir::Reduce& reduce = *whole.reduction();
  std::vector<Expr> bodies;
  for (std::size_t r = 0; r < reduce.values.size(); ++r) {
    Expr value = ir::substitute(reduce.values[r], values);
    bodies.push_back(guard.defined() ? ir::select(guard, value, ir::reducer_identity(reduce, r)) : std::move(value));
  }
  result.op.bodies =
      result.op.reduce_axes.empty() ? std::move(bodies) : reductions(reduce, bodies, result.op.reduce_axes);
  return result;
}

}  // namespace

Tensor make_partial_results(const Primitive& primitive, const IterVar& loop, int axis, bool in_threads) {
  check_reduction(primitive, loop, axis);
  ScheduleState& state = primitive.state();
  const int index = primitive.index();
  const std::vector<std::string> arguments = {primitive.label(loop), fmt::format("axis={}", axis)};
  const ir::Reduce reduce = *primitive.stage().op.compute()->reduction();

  Counts counts = iteration_counts(primitive.stage());
  counts[loop] = partial_count(primitive.stage(), loop, counts, in_threads);
  const Partial partial = make_partial(primitive.stage(), loop, axis, counts);
  std::vector<Expr> shape;
  for (const IterVar& own : partial.op.axes) shape.push_back(own.extent());
  const std::string name = unique_name(state, primitive.stage().name + ".rf");
  if (!is_addressable(shape)) {
    primitive.refuse(loop, fmt::format("its partial results, {}, would be larger than any address space: split it and "
                                       "use rfactor on a shorter loop",
                                       name));
  }
  std::vector<Buffer> results;
  const std::vector<Buffer>& reduced = primitive.stage().op->results;
  for (const Buffer& result : reduced) {
    results.emplace_back(result_name(name, results.size(), reduced.size()), result->element, shape);
  }
  const Operation op = make_operation(state, name, partial.op, std::move(results));
  StageState made = make_stage(name, op);
  for (const auto& [old, own] : partial.loops) {
    const auto kind = primitive.stage().kinds.find(old);
    if (kind != primitive.stage().kinds.end()) made.kinds.emplace(own, kind->second);
  }
  insert_stage(state, index, std::move(made));

  StageState& stage = state.stages[static_cast<std::size_t>(index) + 1];
  const IterVar over(loop.name() + ".v", Expr(0), counts.at(loop), AxisKind::kReduce);
  ComputeOp rest;
  rest.axes = stage.op.compute()->axes;
  rest.reduce_axes = {over};
  std::vector<Expr> point(rest.axes.begin(), rest.axes.end());
  point.insert(point.begin() + axis, over);
  std::vector<Expr> values;
  for (std::size_t r = 0; r < op->results.size(); ++r) {
    values.push_back(Tensor(op, static_cast<int>(r)).at(point));
  }
  rest.bodies = reductions(reduce, values, rest.reduce_axes, reduce.init);
  const auto is_reduce = [](const IterVar& axis_of_it) { return axis_of_it.is_reduce(); };
  std::erase_if(stage.leaves, is_reduce);
  stage.leaves.push_back(over);
  stage.named.push_back(over);
  std::erase_if(stage.kinds, [](const auto& entry) { return entry.first.is_reduce(); });
  std::erase_if(stage.relations, is_of_reduction);
  replace_operation(state, index + 1, std::move(rest));
  state.trace.append({"rfactor", arguments});
  return Tensor(op);
}

Tensor Schedule::rfactor(const Tensor& tensor, const IterVar& loop, int axis) {
  return make_partial_results(Primitive(own_state(), "rfactor", tensor), loop, axis, false);
}

}  // namespace nestwright
