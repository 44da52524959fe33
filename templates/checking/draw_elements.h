// Draws the elements of tensors at random; those of large tensors in chunks, when they are read.
// Thread rule: pure functions; `draw` may be called by several threads at once.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "templates/framework/input_source.h"

namespace nestwright {

/// The source of `size` elements; element i is draw(random, i), and they are drawn in order. Beyond kChunkElements
/// elements, each chunk has its own generator, seeded from `random`, so that the values do not depend on the number of
/// threads.
template <typename Draw>
InputSource draw_elements(std::size_t size, std::mt19937_64& random, Draw draw) {
  if (size <= kChunkElements) {
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = draw(random, i);
    return InputSource(std::move(values));
  }
  return {size, [seed = random(), draw = std::move(draw)](std::size_t begin, std::span<double> values) {
            std::mt19937_64 own(seed + begin / kChunkElements);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(own, begin + i);
          }};
}

}  // namespace nestwright
