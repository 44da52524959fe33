// Comparisons with made-up values.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison/results/comparison.h"

namespace nestwright::bench {

/// A comparison over 1e9 operations and 1e7 bytes, so that 1e6 ns are 1000 GFLOP/s and 10 GB/s; the peak is 2000
/// GFLOP/s and a copy reaches 100 GB/s in every round. The first series is ours.
Comparison synthetic(const std::string& label, std::vector<Series> series);

}  // namespace nestwright::bench
