#include "executor.h"

#include <algorithm>
#include <numeric>

namespace mnist {

MemoryPlan plan_memory(std::vector<Lifetime> tensors) {
  constexpr std::size_t kLine = 64;
  for (Lifetime& tensor : tensors) tensor.bytes = (tensor.bytes + kLine - 1) / kLine * kLine;
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].bytes > tensors[b].bytes; });
  MemoryPlan plan{.offsets = std::vector<std::size_t>(tensors.size())};
  // The largest first, each at the lowest place that is free during all of its lifetime.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Lifetime& tensor = tensors[order[i]];
    std::size_t& at = plan.offsets[order[i]];
    for (std::size_t j = 0; j < i; ++j) {
      const Lifetime& other = tensors[order[j]];
      const std::size_t other_at = plan.offsets[order[j]];
      const bool is_alive = tensor.first <= other.last && other.first <= tensor.last;
      if (!is_alive || at + tensor.bytes <= other_at || other_at + other.bytes <= at) continue;
      at = other_at + other.bytes;
      j = static_cast<std::size_t>(-1);  // what was passed may overlap now
    }
    plan.bytes = std::max(plan.bytes, at + tensor.bytes);
  }
  return plan;
}

}  // namespace mnist
