#include "nestwright/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nestwright/error.h"

namespace nestwright {

namespace {

constexpr CacheState kStates[] = {CacheState::kWarm, CacheState::kCold, CacheState::kStream};

}  // namespace

const char* cache_state_name(CacheState state) {
  switch (state) {
    case CacheState::kWarm:
      return "warm";
    case CacheState::kCold:
      return "cold";
    case CacheState::kStream:
      return "stream";
  }
  throw InternalError("internal error: a state of the caches out of range");
}

std::vector<std::string> cache_state_names() {
  std::vector<std::string> names;
  for (const CacheState state : kStates) names.emplace_back(cache_state_name(state));
  return names;
}

CacheState parse_cache_state(std::string_view name) {
  for (const CacheState state : kStates) {
    if (name == cache_state_name(state)) return state;
  }
  throw UsageError(fmt::format("there are no caches '{}': use {}", name, fmt::join(cache_state_names(), ", ")));
}

}  // namespace nestwright
