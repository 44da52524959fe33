// A sequence of small choices: drawn at random and recorded, or played back. Whatever is made from choices is made
// again from the recorded sequence, and made smaller by making the sequence smaller: 0 is always the simplest choice,
// and a sequence that ends early goes on with zeros. (The idea is that of Hypothesis' shrinking.) Thread rule: one
// sequence belongs to one thread.
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
  /// True in so many of a hundred cases; false is the simple choice.
  bool chance(std::uint32_t percent) { return below(100) >= 100 - percent; }
  /// A number below weights.size(), each as likely as its weight says.
  std::size_t weighted(std::initializer_list<std::uint32_t> weights);
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[below(static_cast<std::uint32_t>(values.size()))];
  }

  /// What was drawn so far.
  const std::vector<std::uint32_t>& recorded() const { return recorded_; }

 private:
  std::mt19937_64 random_;
  std::vector<std::uint32_t> played_, recorded_;
  std::size_t next_ = 0;
  bool plays_ = false;
};

/// A seed that has nothing to do with `seed` and other values of `salt` (splitmix64).
std::uint64_t mix(std::uint64_t seed, std::uint64_t salt);

}  // namespace nestwright::property
