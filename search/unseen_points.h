// What is left of a search space: points that were neither proposed nor observed. Uniform samples find them while they
// are many. Where samples find no new ones any more, a small space is walked from end to end, and one that is large but
// has few valid points is sampled longer.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "search/search_space.h"

namespace nestwright {

/// Points that were proposed or observed; none is proposed twice.
class SeenPoints {
 public:
  /// False where it was there already.
  bool insert(const Point& point) { return keys_.insert(point.key()).second; }
  bool contains(const Point& point) const { return keys_.contains(point.key()); }
  bool empty() const { return keys_.empty(); }

 private:
  std::set<std::string> keys_;
};

/// Adds up to `n` unseen uniform samples to `out`; gives up after many that were seen, as in a space nearly exhausted.
void add_samples(const SearchSpace& space, int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out);

class UnseenPoints {
 public:
  /// The walk starts at a place that `seed` chooses. `space` outlives it.
  UnseenPoints(const SearchSpace& space, std::uint64_t seed);

  /// Adds up to `n` unseen points to `out`. May miss some of a space that is too large to be walked: is_exhausted()
  /// tells.
  void add(int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out);
  /// Whether every valid point of the space is known to be seen. `seen_valid` is the number of valid points seen.
  bool is_exhausted(std::int64_t seen_valid) const;

 private:
  bool is_walkable() const;
  void walk(int n, SeenPoints& seen, std::vector<Point>& out);

  const SearchSpace& space_;
  unsigned __int128 start_ = 0;   ///< of the walk, an index of the space
  unsigned __int128 walked_ = 0;  ///< points of the walk so far; all of them are invalid or seen
};

}  // namespace nestwright
