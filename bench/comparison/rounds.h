// The rounds of one comparison: every contestant once a round, in random order, between two controls.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/comparison/comparison.h"
#include "bench/comparison/contestant.h"
#include "bench/comparison/copy_control.h"

namespace nestwright::bench {

/// Adds to `comparison` a series a contestant, in their order, and as many rounds as it asks for; gives up after thrice
/// as many were tried. Where no contestant is ready nothing is asked for.
void run_rounds(Comparison& comparison, std::vector<Contestant>& contestants, CopyControl& copy, std::uint64_t seed);

}  // namespace nestwright::bench
