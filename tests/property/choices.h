// A sequence of small choices, drawn at random and recorded, or played back. Playing back a recorded sequence makes the
// same object again, and a smaller sequence makes a smaller one: 0 is always the simplest choice, and a sequence that
// ends early continues with zeros. (The idea is that of Hypothesis' shrinking.) Thread rule: one sequence belongs to
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace nestwright::property {

class Choices {
 public:
  /// Draws at random.
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  /// Plays back.
  explicit Choices(std::vector<std::uint32_t> recorded) : played_(std::move(recorded)), plays_(true) {}

  /// A number in 0 .. n-1. Requires n >= 1.
  std::uint32_t below(std::uint32_t n);
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::uint32_t>(most - least + 1)));
  }
  /// True in `percent` of a hundred cases; false is the simple choice.
  bool chance(std::uint32_t percent) { return below(100) >= 100 - percent; }
  /// A number below weights.size(), drawn in proportion to its weight.
  std::size_t weighted(std::initializer_list<std::uint32_t> weights);
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(static_cast<std::uint32_t>(values.size()))];
  }

  /// The choices drawn so far.
  const std::vector<std::uint32_t>& recorded() const { return recorded_; }

 private:
  std::mt19937_64 random_;
  std::vector<std::uint32_t> played_, recorded_;
  std::size_t next_ = 0;
  bool plays_ = false;
};

/// A seed that is independent of `seed` and of other values of `salt` (splitmix64).
std::uint64_t mix(std::uint64_t seed, std::uint64_t salt);

}  // namespace nestwright::property
