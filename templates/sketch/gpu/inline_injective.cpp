// inline_injective: a stage without a reduction is computed where it is read, as threads wait longer for memory than
// they compute.
//
//   blocks, threads: T[i] = A[i] + 1.0
//   blocks, threads: C[i] = T[i]*2.0        ->      blocks, threads: C[i] = (A[i] + 1.0)*2.0
//
// Two kinds of stages are not inlined: those whose elements a block tile reads several times, which its threads compute
// into shared memory, and expensive ones, such as exp, that are read more often than they have points. For an expensive
// stage with several readers, inlining is a choice. As on CPUs, large ones that several reads would repeat are stored.
#include "templates/sketch/gpu/gpu_rules.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

constexpr int kFew = 4;  ///< operations that cost less than a store and a load

bool is_computed_again(const StageAnalysis& stage, const StageAnalysis& reader) {
  if (is_contraction(reader)) return stage.operations == 0 && !stage.has_branch;
  return is_read_once(stage, reader) || (stage.expensive == 0 && stage.operations <= kFew);
}

}  // namespace

void inline_injective(GpuSketch& sketch) { inline_stages(sketch, is_computed_again); }

}  // namespace nestwright
