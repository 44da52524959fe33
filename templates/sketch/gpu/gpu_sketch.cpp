#include "templates/sketch/gpu/gpu_sketch.h"

#include <algorithm>

#include "templates/sketch/expression/forms.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMinReuse = 4;    ///< points that read an element
constexpr std::int64_t kMinReduced = 4;  ///< steps of a reduction
constexpr std::int64_t kMinPoints = 32;  ///< below, no block would be full

}  // namespace

bool is_contraction(const StageAnalysis& stage) {
  if (!stage.is_reduction || stage.is_scan_part || stage.results > 1) return false;
  if (stage.points() < kMinPoints || stage.reduced_points() < kMinReduced) return false;
  return std::any_of(stage.accesses.begin(), stage.accesses.end(), [&](const OperandAccess& access) {
    return access.tensor.defined() && reuse_of(stage, access) >= kMinReuse;
  });
}

bool reads_rows_once(const StageAnalysis& stage) {
  const OperandAccess* largest = nullptr;
  std::int64_t most = 0;
  for (const OperandAccess& access : stage.accesses) {
    if (!access.tensor.defined() || access.tensor.buffer()->elements() <= most) continue;
    most = access.tensor.buffer()->elements();
    largest = &access;
  }
  return largest != nullptr && reuse_of(stage, *largest) < kMinReuse && stage.last_reduced() >= stage.spatial &&
         largest->strides[static_cast<std::size_t>(stage.last_reduced())] == std::int64_t{1};
}

RowBytes& RowBytes::operator+=(const RowBytes& other) {
  of_row += other.of_row;
  of_thread += other.of_thread;
  return *this;
}

void GpuSketch::require_shared_memory() {
  for (const auto& [number, nest] : row_blocks) {
    tuning.require(nest.shared_bytes.of_block(nest.threads_knob, nest.rows_knob) <= target.shared_bytes,
                   "the rows do not fit into a block's shared memory");
  }
}

}  // namespace nestwright
