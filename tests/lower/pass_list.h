// Lists the passes that run for one stage and one kind of device.
#pragma once

#include <string>
#include <vector>

#include "lower/passes.h"

namespace nestwright::testing {

/// In the order in which they run.
inline std::vector<std::string> names_of_passes(LoweringStage stage, DeviceKind device) {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) {
    if (pass.stage == stage && includes(pass.devices, device)) names.emplace_back(pass.name);
  }
  return names;
}

}  // namespace nestwright::testing
