// tensorize: an instruction replaces a loop and the loops inside it.
//
//   for i, jo, ko:                                         for i, jo, ko:
//     for ji in 0..16:                              ->       dot_u8s8_16x4(C[i, jo*16], A[i, ko*4], B[ko, jo*16, 0])
//       for ki in 0..4:
//         C[i, jo*16 + ji] += A[i, ko*4 + ki] * B[ko, jo*16 + ji, ki]
//
// The tile of a reduction is still set to its identity, by loops or by the intrinsic's init.
//
// Preconditions:
//  1. The loop is a leaf of the stage.
//  2. From the loop inwards, loops, reads, types and body are the pattern's (schedule/state/match_pattern.h).
//  3. These loops are not annotated, and no stage, prefetch or pragma is attached to them.
//  4. The stage is not a scan, and no other loop of it is tensorized.
// A split inside the tile that does not divide has Tail::partition() or Tail::compose(): the intrinsic computes the
// tiles that are whole, and loops the others. The lowering checks that no other tail cuts the tile, that the operands
// have no other layout and that the intrinsic stores to its tile alone.
#include <fmt/format.h>

#include <set>

#include "schedule/primitives/primitive.h"
#include "schedule/state/match_pattern.h"

namespace nestwright {

Stage& Stage::tensorize(const IterVar& loop, const TensorIntrinsic& intrinsic) {
  const Primitive primitive(*state_, "tensorize", origin_);
  primitive.require_no_part({ScanPart::kScan}, "which computes nothing itself: do that to its update or its init");
  StageState& stage = primitive.stage();
  const std::size_t first = primitive.position(loop);
  if (stage.tensorize) {
    primitive.refuse(loop, fmt::format("{} is tensorized at {} already", stage.name, stage.tensorize->loop.name()));
  }
  if (intrinsic.name.empty() || intrinsic.name.find_first_of(" \n") != std::string::npos) {
    primitive.refuse(loop, fmt::format("'{}' is no name of an intrinsic: a trace needs one word", intrinsic.name));
  }
  if (!intrinsic.pattern.defined() || intrinsic.pattern.op().compute() == nullptr || !intrinsic.emit) {
    primitive.refuse(loop, fmt::format("intrinsic {} lacks its pattern or what it becomes", intrinsic.name));
  }
  for (std::size_t leaf = first; leaf < stage.leaves.size(); ++leaf) {
    primitive.require_replaceable(stage.leaves[leaf]);
    primitive.require_unattached(stage.leaves[leaf]);
  }
  const PatternMatch match = match_pattern(stage, loop, intrinsic);
  if (!match.difference.empty()) {
    primitive.refuse(loop, fmt::format("it does not compute what {} does: {}", intrinsic.name, match.difference));
  }
  stage.tensorize = TensorizeNote{loop, std::make_shared<const TensorIntrinsic>(intrinsic)};
  primitive.record({primitive.label(loop), intrinsic.name});
  return *this;
}

}  // namespace nestwright
