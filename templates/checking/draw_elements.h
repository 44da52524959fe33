// Draws the elements of tensors at random; those of large tensors in chunks, several of them in parallel.
// Thread rule: pure functions; `draw` may be called by several threads at once.
#pragma once

#include <random>
#include <vector>

#include "support/chunks.h"

namespace nestwright {

/// Sets each element i to draw(random, i), in order. Beyond kChunkElements elements, each chunk has its own generator,
/// seeded from `random`, so that the values do not depend on the number of threads.
template <typename Draw>
void draw_elements(std::vector<double>& values, std::mt19937_64& random, const Draw& draw) {
  const auto draw_part = [&](std::mt19937_64& from, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = draw(from, i);
  };
  if (values.size() <= kChunkElements) return draw_part(random, 0, values.size());
  const std::uint64_t seed = random();
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    std::mt19937_64 own(seed + begin / kChunkElements);
    draw_part(own, begin, end);
  });
}

}  // namespace nestwright
