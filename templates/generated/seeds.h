// Configurations of a generated space from formulas.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Seeds of the template `t`, whose space is a generated one, the likeliest first; never empty.
std::vector<Config> generated_seeds(const Template& t, const Workload& workload, const Target& target);

}  // namespace nestwright
