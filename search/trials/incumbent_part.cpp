#include "search/trials/incumbent_part.h"

namespace nestwright {

const BuiltPoint* part_of_incumbent(SessionTrials& trials, Tools& tools) {
  const double share = tools.part_share(trials.incumbent_ns());
  if (share == 0) return nullptr;
  if (!trials.incumbent_part()) {
    trials.set_incumbent_part(tools.build({trials.incumbent()->point}, Pipeline::kSearch, {}, share).front());
  }
  const BuiltPoint& part = *trials.incumbent_part();
  return part.result.outcome == Outcome::kOk && part.part_ratio > 0 ? &part : nullptr;
}

}  // namespace nestwright
