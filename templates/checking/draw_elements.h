// Draws the elements of tensors at random; those of large tensors in chunks, when they are read.
// Thread rule: pure functions; `draw` may be called by several threads at once.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "nestwright/template.h"
#include "support/base/chunks.h"

namespace nestwright {

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): fast where a billion numbers are drawn.
class SplitMix {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  result_type operator()() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  }

 private:
  std::uint64_t state_;
};

/// Uniform in [0, 1): the value of std::generate_canonical, without the logarithms that it computes unless the compiler
/// does.
inline double draw_canonical(std::mt19937_64& random) {
  const double value = static_cast<double>(random()) * 0x1p-64;
  return value < 1 ? value : 1 - 0x1p-53;
}
inline double draw_canonical(SplitMix& random) {
  return static_cast<double>(static_cast<std::int64_t>(random() >> 11)) * 0x1p-53;
}

/// Uniform in [low, high), as std::uniform_real_distribution.
template <typename Random>
double draw_uniform(Random& random, double low, double high) {
  return draw_canonical(random) * (high - low) + low;
}

/// The source of `size` elements; element i is draw(random, i), and they are drawn in order. `draw` takes either
/// generator. Beyond kChunkElements elements, each chunk has its own generator, seeded from `random`, so that the
/// values do not depend on the number of threads.
template <typename Draw>
InputSource draw_elements(std::size_t size, std::mt19937_64& random, Draw draw) {
  if (size <= kChunkElements) {
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = draw(random, i);
    return InputSource(std::move(values));
  }
  return {size, [seed = random(), draw = std::move(draw)](std::size_t begin, std::span<double> values) {
            SplitMix own(SplitMix(seed + begin / kChunkElements)());
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(own, begin + i);
          }};
}

}  // namespace nestwright
