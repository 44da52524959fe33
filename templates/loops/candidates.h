// Lists of candidates for knobs.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace nestwright {

/// Those of `values` that are at most `limit`.
inline std::vector<std::int64_t> up_to(std::vector<std::int64_t> values, std::int64_t limit) {
  std::erase_if(values, [&](std::int64_t value) { return value > limit; });
  return values;
}

/// Powers of two up to `limit`, at least 1.
inline std::vector<std::int64_t> powers_up_to(std::int64_t limit) {
  std::vector<std::int64_t> powers{1};
  while (powers.back() <= limit / 2) powers.push_back(2 * powers.back());
  return powers;
}

}  // namespace nestwright
