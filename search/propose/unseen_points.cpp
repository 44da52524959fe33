#include "search/propose/unseen_points.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::int64_t kMisses = 200;  // seen samples in a batch after which new ones are taken to be rare
// Largest space, in points valid or not, that is enumerated: a second of work in all.
constexpr std::int64_t kMaxWalk = 1 << 18;
// Samples per valid point: a given one of V points is missed by 8 V samples with probability 1/3000.
constexpr double kSamplesPerPoint = 8;
constexpr std::int64_t kMaxSamples = 50'000;  // half a second of work

/// Adds up to `n` unseen samples; stops after `max_misses` seen ones.
void sample(const SearchSpace& space, int n, std::int64_t max_misses, std::mt19937_64& random, SeenPoints& seen,
            std::vector<Point>& out) {
  for (std::int64_t misses = 0; n > 0 && misses < max_misses;) {
    auto point = space.sample(random);
    if (!point) return;
    if (!seen.insert(*point)) {
      ++misses;
      continue;
    }
    out.push_back(std::move(*point));
    --n;
  }
}

}  // namespace

void add_samples(const SearchSpace& space, int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out) {
  sample(space, n, kMisses, random, seen, out);
}

UnseenPoints::UnseenPoints(const SearchSpace& space, std::uint64_t seed) : space_(space) {
  if (space.size() == 0) return;
  std::mt19937_64 random(seed);
  start_ = ((static_cast<unsigned __int128>(random()) << 64) | random()) % space.size();
}

bool UnseenPoints::is_walkable() const { return space_.size() <= static_cast<unsigned __int128>(kMaxWalk); }

std::size_t UnseenPoints::add(int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out) {
  const std::size_t before = out.size(), wanted = before + static_cast<std::size_t>(std::max(n, 0));
  const auto missing = [&] { return static_cast<int>(wanted - out.size()); };
  add_samples(space_, missing(), random, seen, out);
  if (const auto valid = is_walkable() || missing() == 0 ? std::nullopt : space_.exact_valid_points()) {
    const double samples = std::min(kSamplesPerPoint * *valid, static_cast<double>(kMaxSamples));
    sample(space_, missing(), static_cast<std::int64_t>(samples), random, seen, out);
  }
  const std::size_t sampled = out.size() - before;
  if (missing() > 0 && is_walkable()) walk(missing(), seen, out);
  return sampled;
}

void UnseenPoints::walk(int n, SeenPoints& seen, std::vector<Point>& out) {
  const unsigned __int128 size = space_.size();
  for (; walked_ < size && n > 0; ++walked_) {
    Point point = space_.at((start_ + walked_) % size);
    if (!space_.is_valid(point) || !seen.insert(point)) continue;
    out.push_back(std::move(point));
    --n;
  }
}

bool UnseenPoints::is_exhausted(std::int64_t seen_valid) const {
  if (is_walkable() && walked_ == space_.size()) return true;
  const auto valid = space_.exact_valid_points();
  return valid && static_cast<double>(seen_valid) >= *valid;
}

}  // namespace nestwright
