#include "nestwright/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Depth-first search over the counts of all segments but the largest. An optimal cover has fewer than `largest` tiles
/// of the others: among `largest` tiles, some add up to a multiple of it and could be replaced by fewer tiles of the
/// largest. This bounds the search; where it would still take seconds, for many segments of thousands of iterations, it
/// ends with the best cover so far.
class Cover {
 public:
  Cover(std::int64_t extent, const std::vector<std::int64_t>& segments)
      : segments_(segments),
        largest_(std::max_element(segments.begin(), segments.end()) - segments.begin()),
        counts_(segments.size(), 0) {
    search(0, extent, 0);
  }
  const std::vector<std::int64_t>& best() const { return best_; }

 private:
  void search(std::size_t s, std::int64_t left, std::int64_t tiles) {
    if (tiles + left / segments_[largest_] > fewest_ || ++visited_ > kMaxVisited) return;
    if (s == segments_.size()) {
      if (left % segments_[largest_] != 0) return;
      counts_[largest_] = left / segments_[largest_];
      tiles += counts_[largest_];
      if (tiles < fewest_ || (tiles == fewest_ && counts_ > best_)) {
        fewest_ = tiles;
        best_ = counts_;
      }
      return;
    }
    if (s == largest_) return search(s + 1, left, tiles);
    for (std::int64_t n = 0; n * segments_[s] <= left && tiles + n < segments_[largest_]; ++n) {
      if (visited_ > kMaxVisited) break;
      counts_[s] = n;
      search(s + 1, left - n * segments_[s], tiles + n);
    }
    counts_[s] = 0;
  }

  static constexpr std::int64_t kMaxVisited = 1'000'000;
  const std::vector<std::int64_t>& segments_;
  std::int64_t visited_ = 0;
  const std::size_t largest_;
  std::vector<std::int64_t> counts_, best_;
  std::int64_t fewest_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

std::string Tail::str() const {
  switch (kind) {
    case TailKind::kGuard:
      return "guard";
    case TailKind::kPartition:
      return "partition";
    case TailKind::kPredicate:
      return "predicate";
    case TailKind::kCompose:
      return fmt::format("compose{{{}}}", fmt::join(segments, ","));
  }
  throw InternalError("internal error: unknown tail strategy");
}

Tail Tail::parse(std::string_view text) {
  for (const Tail& tail : {guard(), partition(), predicate()}) {
    if (text == tail.str()) return tail;
  }
  constexpr std::string_view kOpen = "compose{";
  std::vector<std::int64_t> segments;
  if (text.substr(0, kOpen.size()) == kOpen && text.back() == '}') {
    const char* at = text.data() + kOpen.size();
    const char* const end = text.data() + text.size() - 1;
    while (at < end) {
      std::int64_t value = 0;
      const auto [rest, error] = std::from_chars(at, end, value);
      if (error != std::errc() || value < 1 || (rest != end && *rest != ',')) {
        segments.clear();
        break;
      }
      segments.push_back(value);
      at = rest == end ? end : rest + 1;
    }
  }
  if (segments.empty()) {
    throw UsageError(fmt::format(
        "'{}' is no tail strategy: use guard, partition, predicate or compose{{14,12}} with the segments' extents",
        text));
  }
  return compose(std::move(segments));
}

std::vector<std::int64_t> compose_counts(std::int64_t extent, const std::vector<std::int64_t>& segments) {
  if (segments.empty()) return {};
  std::int64_t common = 0;
  for (const std::int64_t segment : segments) common = std::gcd(common, segment);
  if (extent % common != 0) return {};  // the search would try everything first
  return Cover(extent, segments).best();
}

}  // namespace nestwright
