// The knob values of one stage in a seed of a generated space. Thread rule: plain data.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nestwright/config_space.h"
#include "templates/framework/knobs/seed_table.h"

namespace nestwright {

/// Values of knobs, by their names without the stage's prefix.
using StageSeed = std::vector<std::pair<std::string, SeedValue>>;

inline void set_knobs(Config& config, const std::string& stage, const StageSeed& seed) {
  for (const auto& [knob, value] : seed) config.set(stage + "." + knob, value.value, value.label);
}

}  // namespace nestwright
