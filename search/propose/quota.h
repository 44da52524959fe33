// Splits a batch into shares. Thread rule: pure, except for the random stream.
#pragma once

#include <random>

namespace nestwright {

/// `share` of `n`, rounded up or down at random with `share * n` as the mean, so that shares hold on average over many
/// batches of any size. Rounding to nearest would never give a small share of a batch of one. Requires 0 <= share <= 1
/// and n >= 0.
int draw_quota(double share, int n, std::mt19937_64& random);

}  // namespace nestwright
