// Configurations of a generated space for devices from formulas.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Seeds of the template `t`, whose space is a generated one for devices, the likeliest first; never empty.
std::vector<Config> generated_gpu_seeds(const Template& t, const Workload& workload, const Target& target);

}  // namespace nestwright
