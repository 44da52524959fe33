// The rounds of a comparison: each round samples every contestant once, in random order, between two controls.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/comparison/results/comparison.h"
#include "bench/comparison/timing/contestant.h"
#include "bench/comparison/timing/copy_control.h"

namespace nestwright::bench {

/// Adds one series for each contestant, in order, to `comparison`, with as many rounds as it asks for. Gives up after
/// three times as many attempts. Does nothing if no contestant is ready.
void run_rounds(Comparison& comparison, std::vector<Contestant>& contestants, CopyControl& copy, std::uint64_t seed);

}  // namespace nestwright::bench
