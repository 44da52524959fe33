#include "network/arena.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace nestwright {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool overlap_in_time(const ArenaTensor& a, const ArenaTensor& b) { return a.first <= b.last && b.first <= a.last; }

/// The offset of the smallest gap between `placed`, which are sorted by their offsets, that holds `bytes`.
std::size_t best_gap(const std::vector<const ArenaTensor*>& placed, std::size_t bytes) {
  std::size_t best = 0, smallest = std::numeric_limits<std::size_t>::max(), end = 0;
  for (const ArenaTensor* tensor : placed) {
    if (tensor->offset >= end + bytes && tensor->offset - end < smallest) {
      smallest = tensor->offset - end;
      best = end;
    }
    end = std::max(end, tensor->offset + rounded(tensor->bytes));
  }
  return smallest == std::numeric_limits<std::size_t>::max() ? end : best;
}

}  // namespace

std::size_t place_in_arena(std::vector<ArenaTensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].bytes > tensors[b].bytes; });
  std::vector<std::size_t> done;
  std::size_t size = 0;
  for (const std::size_t number : order) {
    ArenaTensor& tensor = tensors[number];
    std::vector<const ArenaTensor*> others;
    for (const std::size_t other : done) {
      if (overlap_in_time(tensors[other], tensor)) others.push_back(&tensors[other]);
    }
    std::sort(others.begin(), others.end(),
              [](const ArenaTensor* a, const ArenaTensor* b) { return a->offset < b->offset; });
    tensor.offset = best_gap(others, rounded(tensor.bytes));
    size = std::max(size, tensor.offset + rounded(tensor.bytes));
    done.push_back(number);
  }
  return size;
}

std::size_t largest_live_bytes(const std::vector<ArenaTensor>& tensors) {
  std::map<std::size_t, std::ptrdiff_t> changes;
  for (const ArenaTensor& tensor : tensors) {
    changes[tensor.first] += static_cast<std::ptrdiff_t>(rounded(tensor.bytes));
    changes[tensor.last + 1] -= static_cast<std::ptrdiff_t>(rounded(tensor.bytes));
  }
  std::ptrdiff_t live = 0, largest = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    largest = std::max(largest, live);
  }
  return static_cast<std::size_t>(largest);
}

}  // namespace nestwright
