#include "tests/property/choices.h"

#include <algorithm>

namespace nestwright::property {

std::uint32_t Choices::below(std::uint32_t n) {
  std::uint32_t value = 0;
  if (plays_) {
    if (next_ < played_.size()) value = std::min(played_[next_++], n - 1);
  } else {
    value = static_cast<std::uint32_t>(random_() % n);
  }
  recorded_.push_back(value);
  return value;
}

std::size_t Choices::weighted(std::initializer_list<std::uint32_t> weights) {
  std::uint32_t total = 0;
  for (const std::uint32_t weight : weights) total += weight;
  std::uint32_t at = below(total);
  std::size_t index = 0;
  for (const std::uint32_t weight : weights) {
    if (at < weight) return index;
    at -= weight;
    ++index;
  }
  return index - 1;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t salt) {
  std::uint64_t z = seed + (salt + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace nestwright::property
