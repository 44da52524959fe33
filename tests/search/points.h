// Points of a made-up template.
#pragma once

#include <cstdint>

#include "search/space/search_space.h"

namespace nestwright {

inline Point numbered_point(std::int64_t x) {
  Config config;
  config.set("x", {x});
  return {"made.up", 1, config};
}

}  // namespace nestwright
