// divide_sums: where a reduction whose results share operands has too few of them to keep the threads busy with
// register tiles, threads share the reduction. Its parts become an axis of a stage of their own, which is scheduled
// like any other, and whose partial sums are added up.
//
//   for i: for j: for k: C[i, j] += A[k, i]*B[k, j]     ->     parallel p: for k: C.rf[p, i, j] += A[k, i]*B[k, j]
//                                                              for i: for j: for p: C[i, j] += C.rf[p, i, j]
#include <algorithm>

#include "templates/generated/rules.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusyVectors = 16;  ///< of results: with fewer for each thread, some have no register tile
constexpr std::int64_t kMinPart = 256;     ///< steps: with fewer, adding the parts up takes too long

/// The longest of the axes that are reduced.
int longest_reduce_axis(const StageAnalysis& stage) {
  const auto first = stage.extents.begin() + stage.spatial;
  return static_cast<int>(std::max_element(first, stage.extents.end()) - first);
}

/// Numbers of parts of equal size.
std::vector<std::int64_t> part_counts(const StageAnalysis& stage, std::int64_t threads) {
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(stage.spatial + longest_reduce_axis(stage))];
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : {threads, 2 * threads, 4 * threads}) {
    if (extent % count == 0 && stage.reduced_points() >= kMinPart * count) counts.push_back(count);
  }
  return counts;
}

bool is_divisible(const Sketch& sketch, const StageAnalysis& stage) {
  const std::int64_t busy = kBusyVectors * sketch.target.lanes(widest_type(stage)) * sketch.target.threads;
  return stage.is_reduction && !stage.is_scan_part && stage.results == 1 && stage.spatial > 0 && stage.has_reuse() &&
         stage.points() < busy && reduction_forms(stage, sketch.target).front().kind == ReductionForm::Kind::kTiles;
}

}  // namespace

void divide_sums(Sketch& sketch) {
  if (!sketch.parallel) return;
  for (const StageAnalysis& stage : sketch.stages) {
    if (!is_divisible(sketch, stage)) continue;
    std::vector<std::string> options{"1"};
    for (const std::int64_t count : part_counts(stage, sketch.target.threads)) options.push_back(std::to_string(count));
    if (options.size() == 1) continue;
    const std::int64_t parts = std::stoll(sketch.choose(stage.name + ".parts", options));
    if (parts == 1) continue;
    const int axis = longest_reduce_axis(stage);
    const std::int64_t extent = stage.extents[static_cast<std::size_t>(stage.spatial + axis)];
    Stage loops = sketch.schedule[stage.tensor];
    const IterVar part = loops.split(loops.reduce_axis(axis), factor(extent / parts)).first;
    sketch.schedule.rfactor(stage.tensor, part, 0);
  }
  sketch.analyse();
}

}  // namespace nestwright
