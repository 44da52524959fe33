// fuse: two nested loops become one.
//
//   for i in 0..m:            for i.j in 0..m*n:
//     for j in 0..n:    ->      body(i.j / n, i.j % n)
//       body(i, j)
//
// A stage that is computed at the inner loop is computed at the fused one from then on.
//
// Preconditions:
//  1. Both are leaves of the stage, the outer one directly around the inner one, not annotated, and no prefetch, pragma
//     or blocked reduction refers to them. No stage is computed at the outer one: it would be computed once for each
//     iteration of the inner one.
//  2. Both are spatial or both belong to the reduction; neither is the time of a scan.
//  3. Neither was made by a composed split, whose inner extent differs between segments.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"

namespace nestwright {

void apply_fuse(StageState& stage, const FuseRelation& relation) {
  *std::find(stage.leaves.begin(), stage.leaves.end(), relation.outer) = relation.fused;
  stage.leaves.erase(std::find(stage.leaves.begin(), stage.leaves.end(), relation.inner));
  stage.named.push_back(relation.fused);
  stage.relations.emplace_back(relation);
}

IterVar Stage::fuse(const IterVar& outer, const IterVar& inner) {
  const Primitive primitive(*state_, "fuse", origin_);
  StageState& stage = primitive.stage();
  const std::size_t at = primitive.position(outer);
  if (primitive.position(inner) != at + 1) {
    primitive.refuse(outer, fmt::format("{} is not the loop directly inside it: reorder them first", inner.name()));
  }
  if (outer.kind() != inner.kind()) {
    primitive.refuse(outer,
                     fmt::format("one of it and {} is spatial, the other one belongs to the reduction", inner.name()));
  }
  primitive.require_unattached(outer);
  for (const IterVar& loop : {outer, inner}) {
    primitive.require_unordered(loop);
    primitive.require_replaceable(loop);
    for (const Relation& relation : stage.relations) {
      const auto* split = std::get_if<SplitRelation>(&relation);
      if (split != nullptr && !split->counts.empty() && (split->outer == loop || split->inner == loop)) {
        primitive.refuse(loop, "it comes from a composed split, whose segments differ: split without compose first");
      }
    }
  }
  const IterVar fused = make_loop(outer.name() + "." + inner.name(), outer.extent() * inner.extent(), outer);
  std::vector<std::string> arguments = {primitive.label(outer), primitive.label(inner)};
  const FuseRelation relation{outer, inner, fused};  // copies: the arguments may refer to the leaves
  apply_fuse(stage, relation);
  primitive.move_attached(relation.inner, fused);
  primitive.record(std::move(arguments));
  return fused;
}

}  // namespace nestwright
