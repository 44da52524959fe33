// Shares of a batch. Thread rule: pure but for the random stream.
#pragma once

#include <random>

namespace nestwright {

/// `share` of `n` as a whole number: rounded up or down by lot, so that shares hold on average over many batches of any
/// size. A fixed rounding leaves the smaller share of a batch of one nothing for ever. Requires 0 <= share <= 1, n >=
/// 0.
int draw_quota(double share, int n, std::mt19937_64& random);

}  // namespace nestwright
