// Slows a program down by a known amount: appends a chain of divisions, each of which depends on the one before.
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "nestwright/program.h"

namespace nestwright::bench {

/// Before:  launch k0            After:  launch k0; launch delay
/// where `delay` divides `steps` times. Requires a CPU program with an input and an output, and at least one step.
ir::Program with_delay(ir::Program program, std::int64_t steps);

/// The number of steps that slow a program down by `slowdown` (0.03: 3%), where `steps` of them made it `ratio` times
/// as slow. Requires a ratio above 1.
std::int64_t steps_for(double slowdown, std::int64_t steps, double ratio);

}  // namespace nestwright::bench
