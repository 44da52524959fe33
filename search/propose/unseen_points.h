// Finds points of a search space that were neither proposed nor observed. As long as there are many, uniform samples
// find them. Where samples find no new ones, a small space is enumerated, and a large one with few valid points is
// sampled longer.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "search/space/search_space.h"

namespace nestwright {

/// The points that were proposed or observed; none is proposed twice.
class SeenPoints {
 public:
  /// False where the point was there already.
  bool insert(const Point& point) { return keys_.insert(point.key()).second; }
  bool contains(const Point& point) const { return keys_.contains(point.key()); }
  bool empty() const { return keys_.empty(); }

 private:
  std::set<std::string> keys_;
};

/// Adds up to `n` unseen uniform samples to `out`; gives up after many seen ones, as in a space that is nearly
/// exhausted.
void add_samples(const SearchSpace& space, int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out);

class UnseenPoints {
 public:
  /// The enumeration starts at a place that `seed` determines. `space` outlives this object.
  UnseenPoints(const SearchSpace& space, std::uint64_t seed);

  /// Adds up to `n` unseen points to `out`, first those that are sampled, then those that are enumerated, and returns
  /// how many are sampled. May miss some in a space that is too large to enumerate; see is_exhausted().
  std::size_t add(int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out);
  /// Whether it is certain that every valid point was seen. `seen_valid` is the number of valid points seen.
  bool is_exhausted(std::int64_t seen_valid) const;

 private:
  bool is_walkable() const;
  void walk(int n, SeenPoints& seen, std::vector<Point>& out);

  const SearchSpace& space_;
  unsigned __int128 start_ = 0;   ///< of the enumeration, an index of the space
  unsigned __int128 walked_ = 0;  ///< points enumerated so far, all invalid or seen
};

}  // namespace nestwright
