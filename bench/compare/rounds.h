// The rounds of one comparison: every contestant once a round, in random order, between two controls.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/compare/contestant.h"
#include "bench/compare/summary.h"

namespace nestwright::bench {

/// Runs until `rounds` rounds count, or thrice as many were tried. Ours is the first contestant.
Comparison run_rounds(const Problem& problem, int threads, std::vector<Contestant>& contestants, int rounds,
                      std::uint64_t seed);

}  // namespace nestwright::bench
