// divide_reductions: where there are few results, blocks share the reduction, and a second kernel combines what they
// have. The reduction of everything to one value is a row of its own, as only rows have threads.
//
//   for i: for k: y[i] += A[i, k]     ->      for b: for i: y.rf[b, i] = sum of part b of A[i, :]
//                                             for i: for b: y[i] += y.rf[b, i]
#include <algorithm>

#include "templates/generated/gpu/gpu_rules.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusy = 512;    ///< results of a multiprocessor: with fewer, blocks may share the reduction
constexpr std::int64_t kMinPart = 64;  ///< steps of a part: below, combining the parts costs too much
constexpr std::int64_t kMaxParts = 256;

/// The axis of the reduction that is divided: the longest one.
int longest_axis(const StageAnalysis& stage) {
  const auto first = stage.extents.begin() + stage.spatial;
  return static_cast<int>(std::max_element(first, stage.extents.end()) - first);
}

/// Numbers of parts: those that divide the axis, if any do, as others would test every step.
std::vector<std::int64_t> part_counts(const StageAnalysis& stage) {
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(stage.spatial + longest_axis(stage))];
  std::vector<std::int64_t> counts, even;
  for (std::int64_t count = 2; count <= std::min(kMaxParts, extent) && stage.reduced_points() / count >= kMinPart;
       count *= 2) {
    if (is_even_division(extent, count)) counts.push_back(count);
    if (extent % count == 0) even.push_back(count);
  }
  return even.empty() ? counts : even;
}

void make_parts(GpuSketch& sketch, const StageAnalysis& stage, std::int64_t parts) {
  Schedule& s = sketch.schedule;
  const int axis = longest_axis(stage);
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(stage.spatial + axis)];
  const IterVar part = s[stage.tensor].split(s[stage.tensor].reduce_axis(axis), factor(ceil_div(extent, parts))).first;
  s.rfactor(stage.tensor, part, 0);
}

/// Sums up the only result as the one element of a row.
void make_row(Schedule& s, const Tensor& y) {
  const std::vector<IterVar> loops = s[y].loops();
  s.rfactor(y, s[y].split(loops.front(), nparts(1)).first, 0);
}

}  // namespace

void divide_reductions(GpuSketch& sketch) {
  const std::vector<StageAnalysis> stages = sketch.stages;
  for (const StageAnalysis& stage : stages) {
    if (!stage.is_reduction || stage.is_scan_part) continue;
    const bool is_single = stage.spatial == 0;
    const bool is_few = stage.points() < kBusy * sketch.target.multiprocessors;
    const std::vector<std::int64_t> counts = is_few ? part_counts(stage) : std::vector<std::int64_t>{};
    ScopedTuning t(sketch.tuning, stage.name + ".");
    if (!counts.empty() && sketch.choose(stage.name + ".reduction", {"parts", "whole"}) == "parts") {
      make_parts(sketch, stage, t.define_knob("parts", counts));
    }
    if (is_single) make_row(sketch.schedule, stage.tensor);
  }
  sketch.analyse();
}

}  // namespace nestwright
