// divide_reductions: where there are few results, blocks share the reduction, and a second kernel combines their
// partial results. The reduction of everything to one value is treated as one row, as only rows have threads.
//
//   for i: for k: y[i] += A[i, k]     ->      for b: for i: y.rf[b, i] = sum of part b of A[i, :]
//                                             for i: for b: y[i] += y.rf[b, i]
#include <algorithm>

#include "templates/loops/divide.h"
#include "templates/sketch/gpu/gpu_rules.h"
#include "templates/sketch/nests/divide_into_parts.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusyThreads = 512;  ///< results of a multiprocessor that keep it busy, a thread each
constexpr std::int64_t kBusyBlocks = 4;     ///< the same, a block each
constexpr std::int64_t kMinPart = 64;       ///< steps of a part: below, combining the parts costs too much

/// Numbers of parts: those that divide the axis, if any do, since others need a guard in every step.
std::vector<std::int64_t> part_counts(const StageAnalysis& stage) {
  const std::int64_t extent = divided_extent(stage);
  std::vector<std::int64_t> counts, even;
  for (const std::int64_t count : {4, 16, 64, 256}) {
    if (stage.reduced_points() / count < kMinPart || !is_even_division(extent, std::int64_t{count})) continue;
    counts.push_back(count);
    if (extent % count == 0) even.push_back(count);
  }
  return even.empty() ? counts : even;
}

/// Turns the reduction to one value into a row of one element, which is then summed up.
void make_row(Schedule& s, const Tensor& y) {
  const std::vector<IterVar> loops = s[y].loops();
  s.rfactor(y, s[y].split(loops.front(), nparts(1)).first, 0);
}

}  // namespace

void divide_reductions(GpuSketch& sketch) {
  for (int number = 0; number < static_cast<int>(sketch.stages.size()); ++number) {
    const StageAnalysis& stage = sketch.of(number);
    if (!stage.is_reduction || stage.is_scan_part) continue;
    const bool is_single = stage.spatial == 0;
    if (!is_single && !stage.readers.empty() && !sketch.is_contraction(number)) continue;  // a row of its reader
    const std::int64_t busy = sketch.is_contraction(number) ? kBusyThreads : kBusyBlocks;
    const bool is_few = stage.points() < busy * sketch.target.multiprocessors;
    if (is_few) divide_into_parts(sketch, stage, part_counts(stage));
    if (is_single) make_row(sketch.schedule, stage.tensor);
  }
  sketch.analyse();
}

}  // namespace nestwright
