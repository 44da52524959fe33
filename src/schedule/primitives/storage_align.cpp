// storage_align: pads the rows of a stage's storage, so that accesses along a column hit different banks or sets.
//
//   local T[8, 16]                 ->      local T[8, 16] strides [17, 1]            (axis 0, factor 16, offset 1)
//
// The stride of the axis becomes the smallest one, not below the compact stride, with stride % factor == offset, as in
// TVM.
//
// Preconditions:
//  1. The axis is a stored dimension of the stage: an axis of its operation, or of its layout after transform_layout.
//  2. The factor is 1 to 2^20, and the offset at least 0 and below the factor.
//  3. The stage is not an output, whose memory is the caller's, and not kept in registers.
//  4. It is not a scan, nor the init or update of one.
//  5. The axis is not aligned already.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"

namespace nestwright {

namespace {

constexpr std::int64_t kMaxAlignFactor = 1 << 20;  // no cache or memory needs a larger stride

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
  if (factor > kMaxAlignFactor) primitive.refuse(axis, fmt::format("factor {} is above {}", factor, kMaxAlignFactor));
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
