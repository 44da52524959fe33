// Computes the seeds of the CPU templates. Internal to templates/matmul.
// Thread rule: a pure function.
#pragma once

#include <vector>

#include "nestwright/config_space.h"
#include "nestwright/template.h"
#include "templates/matmul/shape.h"

namespace nestwright {

/// Valid configurations of `self`, a template of the blocked nest over the loops of `shape`: all different, the best
/// guess first; never empty.
std::vector<Config> matmul_cpu_seeds(const Template& self, const Workload& workload, const MatmulShape& shape,
                                     const Target& target);

}  // namespace nestwright
