// Division of sizes, which may be expressions of knobs (nestwright/knobs.h).
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "nestwright/knobs.h"

namespace nestwright {

/// a / b, rounded up. Requires a >= 0, b >= 1.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Whether dividing `tiles` tiles into blocks of equal size gives exactly `blocks` blocks; other numbers would only
/// name the same loops again.
template <class Tiles, class Blocks>
auto is_even_division(const Tiles& tiles, const Blocks& blocks) {
  return tiles >= blocks && ceil_div(tiles, ceil_div(tiles, blocks)) == blocks;
}

}  // namespace nestwright
