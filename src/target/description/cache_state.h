// What the caches contain when a timed call of a kernel begins.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class CacheState : std::uint8_t {
  kWarm,  ///< the tensors of the previous call, as far as they fit
  kCold,  ///< none of its tensors: calls rotate through copies that are together twice as large as the last cache
  /// As between the layers of a network: the threads of the kernel have just written its inputs, and the operands that
  /// are constant, such as weights, are in no cache.
  kStream,
};

/// "warm", "cold" or "stream". Do not change these names: databases store them.
const char* cache_state_name(CacheState state);
std::vector<std::string> cache_state_names();
/// The inverse of cache_state_name. Throws UsageError that lists the names.
CacheState parse_cache_state(std::string_view name);

}  // namespace nestwright
