// Computes the seeds of a generated space for CPUs.
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// Seeds of the template `t`, whose space is a generated one, the likeliest to be fast first; never empty.
std::vector<Config> generated_seeds(const Template& t, const Workload& workload, const Target& target);

}  // namespace nestwright
