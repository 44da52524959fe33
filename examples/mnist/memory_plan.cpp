#include <algorithm>

#include "executor.h"

namespace mnist {

// The largest tensors first, each at the lowest place that is free during all of its lifetime.
std::size_t plan_memory(std::map<Value, Temporary>& tensors) {
  constexpr std::size_t kLine = 64;  // each tensor begins at a cache line
  const auto end_of = [](const Temporary& t) { return t.offset + (t.bytes + kLine - 1) / kLine * kLine; };
  std::vector<Temporary*> order;
  for (auto& [value, tensor] : tensors) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(), &Temporary::bytes);
  std::size_t bytes = 0;
  std::vector<const Temporary*> placed;  // in the order of their offsets
  for (Temporary* const tensor : order) {
    tensor->offset = 0;
    for (const Temporary* const other : placed) {
      if (tensor->last < other->first || other->last < tensor->first) continue;
      if (end_of(*tensor) <= other->offset) break;
      tensor->offset = std::max(tensor->offset, end_of(*other));
    }
    placed.insert(std::ranges::upper_bound(placed, tensor->offset, {}, &Temporary::offset), tensor);
    bytes = std::max(bytes, end_of(*tensor));
  }
  return bytes;
}

}  // namespace mnist
