// storage_align: rows of a stage's storage are padded, so that those who read across them meet different banks or sets.
//
//   local T[8, 16]                 ->      local T[8, 16] strides [17, 1]            (axis 0, factor 16, offset 1)
//
// The distance of two neighbours along the axis becomes the least one, not below the compact one, of which
// distance % factor == offset, as in TVM.
//
// Preconditions:
//  1. The axis is a stored dimension of the stage: an axis of its operation or, of a transform_layout, of the layout.
//  2. The factor is 1 to 2^20, the offset at least 0 and below the factor.
//  3. The stage is no output, whose memory is the caller's, and not kept in registers.
//  4. It is no scan, and neither init nor update of one.
//  5. The axis is not aligned already.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"

namespace nestwright {

namespace {

constexpr std::int64_t kMostAligned = 1 << 20;  // more than any cache or memory has use for

}  // namespace

Stage& Stage::storage_align(const IterVar& axis, std::int64_t factor, std::int64_t offset) {
  const Primitive primitive(*state_, "storage_align", origin_);
  StageState& stage = primitive.stage();
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate},
                            "whose states are stored compactly: cache_write makes a stage of its own");
  const auto& dimensions = stage.layout.empty() ? stage.op.compute()->axes : stage.layout;
  if (!axis.defined() || std::find(dimensions.begin(), dimensions.end(), axis) == dimensions.end()) {
    primitive.refuse(axis, fmt::format("it is no dimension that {} is stored by: name an axis of its {}", stage.name,
                                       stage.layout.empty() ? "operation" : "layout"));
  }
  if (factor < 1) primitive.refuse(axis, fmt::format("factor {} is below 1", factor));
  if (factor > kMostAligned) primitive.refuse(axis, fmt::format("factor {} is above {}", factor, kMostAligned));
  if (offset < 0 || offset >= factor) {
    primitive.refuse(axis, fmt::format("offset {} is not in 0..{}, as a remainder by the factor is", offset, factor));
  }
  if (stage.is_output) {
    primitive.refuse(stage.name, "it is an output, whose memory is the caller's: cache_write makes a stage of its own");
  }
  if (is_in_registers(stage.scope)) primitive.refuse(stage.name, "it is kept in registers, which have no rows");
  for (const AlignNote& note : stage.alignments) {
    if (note.axis == axis) primitive.refuse(axis, fmt::format("it is aligned to {} already", note.factor));
  }
  stage.alignments.push_back({axis, factor, offset});
  primitive.record({primitive.label(axis), std::to_string(factor), std::to_string(offset)});
  return *this;
}

}  // namespace nestwright
