// Random draws that are identical with every standard library, so that a seed always gives the same proposals.
// Thread rule: that of the generator.
#pragma once

#include <cstdint>
#include <random>

namespace nestwright {

/// A uniform draw from 0 .. n-1. Requires n > 0.
inline std::size_t random_index(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>((static_cast<unsigned __int128>(random()) * n) >> 64);
}

/// A uniform draw from [0, 1).
inline double random_unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

}  // namespace nestwright
