#include "templates/framework/knobs/split_candidates.h"

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxCandidates = 1'000'000;

/// Inner extents that a policy allows for an extent.
std::vector<std::int64_t> inner_extents(std::int64_t extent, SplitOptions::Policy policy) {
  std::vector<std::int64_t> inner;
  switch (policy) {
    case SplitOptions::Policy::kFactors:
      for (std::int64_t f = 1; f <= extent / f; ++f) {
        if (extent % f != 0) continue;
        inner.push_back(f);
        if (f != extent / f) inner.push_back(extent / f);
      }
      std::sort(inner.begin(), inner.end());
      break;
    case SplitOptions::Policy::kPowerOfTwo:
      for (std::int64_t f = 1; f < 2 * extent; f *= 2) inner.push_back(f);
      break;
    case SplitOptions::Policy::kAll:
      check(extent <= static_cast<std::int64_t>(kMaxCandidates), "a split over all extents has too many candidates");
      for (std::int64_t f = 1; f <= extent; ++f) inner.push_back(f);
      break;
  }
  return inner;
}

void extend(std::int64_t extent, int parts, bool innermost, KnobValue& tail, const SplitOptions& options,
            std::vector<KnobValue>& found) {
  if (parts == 1) {
    KnobValue value{extent};
    value.insert(value.end(), tail.rbegin(), tail.rend());
    if (options.filter && !options.filter(value)) return;
    check(found.size() < kMaxCandidates, "a split has more than a million candidates; narrow it by max_factor");
    found.push_back(std::move(value));
    return;
  }
  for (const std::int64_t inner : inner_extents(extent, options.policy)) {
    if (innermost && inner > options.max_factor) break;
    tail.push_back(inner);
    extend((extent - 1) / inner + 1, parts - 1, false, tail, options, found);
    tail.pop_back();
  }
}

}  // namespace

std::vector<KnobValue> split_candidates(std::int64_t extent, const SplitOptions& options) {
  check(extent >= 1, "a split needs an extent of at least 1");
  check(options.parts >= 2, "a split has at least two parts");
  std::vector<KnobValue> found;
  KnobValue tail;
  extend(extent, options.parts, true, tail, options, found);
  return found;
}

}  // namespace nestwright
