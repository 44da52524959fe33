// inline_injective: a stage without a reduction is computed where it is read, as threads wait longer for memory than
// they compute.
//
//   blocks, threads: T[i] = A[i] + 1.0
//   blocks, threads: C[i] = T[i]*2.0        ->      blocks, threads: C[i] = (A[i] + 1.0)*2.0
//
// Not inlined: what a tile of blocks reads several times, which its threads compute into shared memory, and what costs
// a polynomial, as exp, and is read more often than it has points. Of an expensive stage with several readers, that is
// a choice.
#include <algorithm>

#include "templates/generated/gpu/gpu_rules.h"
#include "templates/generated/rules.h"

namespace nestwright {
namespace {

constexpr int kFew = 4;  ///< operations that cost less than a store and a load

bool is_computed_again(const GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_output || stage.is_reduction || stage.is_scan_part || stage.results > 1 || stage.readers.empty()) {
    return false;
  }
  return std::all_of(stage.readers.begin(), stage.readers.end(), [&](int reader_number) {
    const StageAnalysis& reader = sketch.of(reader_number);
    if (reader.is_scan_part) return false;
    if (sketch.is_contraction(reader_number)) return stage.operations == 0 && !stage.has_branch;
    const bool is_once = reader.points() * reader.reduced_points() <= stage.points();
    return is_once || (stage.expensive == 0 && stage.operations <= kFew);
  });
}

}  // namespace

void inline_injective(GpuSketch& sketch) {
  inline_stages(sketch, [&sketch](const Sketch&, int stage) { return is_computed_again(sketch, stage); });
}

}  // namespace nestwright
