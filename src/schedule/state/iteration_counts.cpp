#include "schedule/state/iteration_counts.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nestwright {
namespace {

/// The iterations of the outer and the inner loop of a split of `parent` iterations.
std::pair<Expr, Expr> parts_of(const SplitRelation& split, const Expr& parent) {
  if (!split.counts.empty()) return {split.outer.extent(), split.inner.extent()};
  const std::int64_t* whole = ir::as_const_int(parent);
  if (whole == nullptr) return {(parent - 1) / split.inner.extent() + 1, split.inner.extent()};
  const std::int64_t factor = split.nparts != 0 ? (*whole - 1) / split.nparts + 1 : split.factors.front();
  return {Expr((*whole - 1) / factor + 1), Expr(std::min(factor, *whole))};
}

}  // namespace

std::map<IterVar, Expr> iteration_counts(const StageState& stage) {
  std::map<IterVar, Expr> counts;
  const ComputeOp& op = *stage.op.compute();
  for (const auto* axes : {&op.axes, &op.reduce_axes}) {
    for (const IterVar& axis : *axes) counts.emplace(axis, axis.extent());
  }
  // The axes that a blocked reduction shares with another stage are none of the operation's.
  const auto count = [&](const IterVar& loop) { return counts.try_emplace(loop, loop.extent()).first->second; };
  for (const Relation& relation : stage.relations) {
    if (const auto* split = std::get_if<SplitRelation>(&relation)) {
      std::tie(counts[split->outer], counts[split->inner]) = parts_of(*split, count(split->parent));
    } else if (const auto* fuse = std::get_if<FuseRelation>(&relation)) {
      counts[fuse->fused] = count(fuse->outer) * count(fuse->inner);
    }
  }
  for (const IterVar& leaf : stage.leaves) count(leaf);
  return counts;
}

}  // namespace nestwright
