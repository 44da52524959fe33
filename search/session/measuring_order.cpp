#include "search/session/measuring_order.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

std::vector<std::size_t> measuring_order(const std::vector<Point>& points, const std::vector<BuiltPoint>& built,
                                         Ranker* ranker) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool has_resources =
      std::any_of(built.begin(), built.end(), [](const BuiltPoint& b) { return !b.result.object.resources.empty(); });
  if (!has_resources || ranker == nullptr || !ranker->can_rank()) return order;
  const std::vector<double> scores = ranker->score(points);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace nestwright
