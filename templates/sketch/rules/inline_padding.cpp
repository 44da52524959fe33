// inline_padding: padding is not stored first, but evaluated where a sum reads it, under a mask. Lowering hoists the
// mask out of the loops that do not change it, so that the innermost one has no branch. This is a choice, since a copy
// may be read so often that it pays.
//
//   for i: P[i] = X[i - 1] if i >= 1 else 0.0
//   for i: for k: C[i] += P[i + k]*W[k]        ->      for i: for k: C[i] += (X[i + k - 1] if i + k >= 1)*W[k]
#include <algorithm>

#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

bool is_padding_of_sums(const Sketch& sketch, const StageAnalysis& stage) {
  return stage.has_branch && stage.accesses.size() == 1 && stage.operations == 0 && stage.expensive == 0 &&
         !stage.is_output && !stage.is_reduction && !stage.is_scan_part && stage.results == 1 &&
         std::all_of(stage.readers.begin(), stage.readers.end(), [&](int number) {
           const StageAnalysis& reader = sketch.of(number);
           return reader.is_reduction && !reader.is_scan_part;
         });
}

}  // namespace

void inline_padding(Sketch& sketch) {
  std::vector<Tensor> chosen;
  for (const StageAnalysis& stage : sketch.stages) {
    if (!is_padding_of_sums(sketch, stage)) continue;
    if (sketch.choose(stage.name + ".values", {"stored", "again"}) == "again") chosen.push_back(stage.tensor);
  }
  bool is_any_inlined = false;
  for (const Tensor& tensor : chosen) is_any_inlined |= inline_unless_too_large(sketch, tensor);
  if (is_any_inlined) sketch.analyse();
}

}  // namespace nestwright
