// divide_sums: where a reduction whose results share operands has too few of them to keep the threads busy with
// register tiles, threads share the reduction. Its parts become an axis of a stage of their own, which is scheduled
// like any other, and whose partial sums are added up.
//
//   for i: for j: for k: C[i, j] += A[k, i]*B[k, j]     ->     parallel p: for k: C.rf[p, i, j] += A[k, i]*B[k, j]
//                                                              for i: for j: for p: C[i, j] += C.rf[p, i, j]
#include "templates/sketch/nests/divide_into_parts.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusyVectors = 16;  ///< of results: with fewer for each thread, some have no register tile
constexpr std::int64_t kMinPart = 256;     ///< steps: with fewer, adding the parts up takes too long

/// Numbers of parts of equal size.
std::vector<std::int64_t> part_counts(const StageAnalysis& stage, std::int64_t threads) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : {threads, 2 * threads, 4 * threads}) {
    if (divided_extent(stage) % count == 0 && stage.reduced_points() >= kMinPart * count) counts.push_back(count);
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
  bool is_any_divided = false;
  for (const StageAnalysis& stage : sketch.stages) {
    if (!is_divisible(sketch, stage)) continue;
    is_any_divided |= divide_into_parts(sketch, stage, part_counts(stage, sketch.target.threads));
  }
  if (is_any_divided) sketch.analyse();
}

}  // namespace nestwright
