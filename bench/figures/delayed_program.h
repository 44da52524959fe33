// A copy of a program that takes longer: it computes the same and then goes through a chain of divisions, each of which
// waits for the one before. Pure. Thread rule: values.
#pragma once

#include <cstdint>

#include "ir/core/program.h"

namespace nestwright::bench {

/// Before:  launch k0            After:  launch k0; launch delay
/// where `delay` divides `steps` times. Requires a program for the CPU with an input and an output, and one step or
/// more.
ir::Program with_delay(ir::Program program, std::int64_t steps);

/// As many steps as make a program slower by `slowdown` (0.03: 3%), given that `steps` of them made it `ratio` times as
/// slow. Requires a ratio above 1.
std::int64_t steps_for(double slowdown, std::int64_t steps, double ratio);

}  // namespace nestwright::bench
