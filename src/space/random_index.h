// Random choices that are the same with every standard library, so that a seed means one sequence of proposals.
// Thread rule: as the generator.
#pragma once

#include <cstdint>
#include <random>

namespace nestwright {

/// Uniform over 0 .. n-1. Requires n > 0.
inline std::size_t random_index(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>((static_cast<unsigned __int128>(random()) * n) >> 64);
}

/// Uniform over [0, 1).
inline double random_unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

}  // namespace nestwright
