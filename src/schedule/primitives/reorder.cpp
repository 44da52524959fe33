// reorder: permutes the given loops among their positions; the other loops stay in place.
//
//   for i:                              for k:
//     for j:        reorder(k, i)         for j:
//       for k:          ->                  for i:
//         body                                body
//
// Preconditions:
//  1. Every loop is a leaf of the stage, and not the time of a scan.
//  2. No loop is given twice.
//  3. For stages computed inside this stage: their readers still lie inside the loop that they are attached to, a tile
//     stays inside the loop over its blocks, no stage moves into a vectorised loop, and no parallel loop into another.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"

namespace nestwright {

void apply_reorder(StageState& stage, const std::vector<IterVar>& loops) {
  std::size_t next = 0;
  for (IterVar& leaf : stage.leaves) {
    if (std::find(loops.begin(), loops.end(), leaf) != loops.end()) leaf = loops[next++];
  }
}

Stage& Stage::reorder(const std::vector<IterVar>& loops) {
  const Primitive primitive(*state_, "reorder", origin_);
  std::vector<std::string> arguments;
  for (const IterVar& loop : loops) {
    primitive.position(loop);
    primitive.require_unordered(loop);
    if (std::count(loops.begin(), loops.end(), loop) > 1) primitive.refuse(loop, "it is named twice");
    arguments.push_back(primitive.label(loop));
  }
  if (loops.empty()) primitive.refuse(primitive.stage().name, "no loop is named");
  StageState& stage = primitive.stage();
  const std::vector<IterVar> before = stage.leaves;
  primitive.change_attachments([&] { apply_reorder(stage, loops); }, [&] { stage.leaves = before; });
  primitive.record(std::move(arguments));
  return *this;
}

}  // namespace nestwright
