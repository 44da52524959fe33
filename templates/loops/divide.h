// Division of sizes.
// Thread rule: a pure function.
#pragma once

#include <cstdint>

namespace nestwright {

/// a / b, rounded up. Requires a >= 0, b >= 1.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace nestwright
