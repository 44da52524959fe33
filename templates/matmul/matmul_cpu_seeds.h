// Configurations of the CPU template from formulas. Internal to templates/matmul.
// Thread rule: a pure function.
#pragma once

#include <vector>

#include "space/config.h"
#include "templates/workload.h"

namespace nestwright {

/// Valid ones, all different, the best guess first; never empty.
std::vector<Config> matmul_cpu_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
