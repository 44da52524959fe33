// prepare_constants: a constant input that no rule has packed is copied before the calls, as it is. Then all kernels of
// a workload prepare its constant inputs and are called without them, whatever their schedule.
//
//   for i: C[i] = sum(k, W[i, k] * X[k])      ->      prepare:  for i, k: W.cache[i, k] = W[i, k]
//                                                     call:     for i: C[i] = sum(k, W.cache[i, k] * X[k])
#include <algorithm>

#include "templates/sketch/rules.h"

namespace nestwright {

Tensor prepare_copy(Sketch& sketch, const Tensor& input, const std::vector<Tensor>& readers) {
  const Tensor copy = sketch.schedule.cache_read(input, ir::Scope::kGlobal, readers);
  sketch.schedule[copy].prepare();
  return copy;
}

void prepare_constants(Sketch& sketch) {
  for (const Tensor& input : sketch.constants()) {
    std::vector<Tensor> readers;
    for (const StageAnalysis& stage : analyse_stages(sketch.schedule)) {
      const bool reads = std::any_of(stage.accesses.begin(), stage.accesses.end(),
                                     [&](const OperandAccess& access) { return access.tensor == input; });
      if (reads && !stage.is_prepared) readers.push_back(stage.tensor);
    }
    if (!readers.empty()) prepare_copy(sketch, input, readers);
  }
}

}  // namespace nestwright
