#include "network/arena.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>

namespace nestwright {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool overlap_in_time(const ArenaTensor& a, const ArenaTensor& b) { return a.first <= b.last && b.first <= a.last; }

/// The first gap between `placed`, which are sorted by their offsets, that holds `bytes`, or the smallest one.
std::size_t gap_for(const std::vector<const ArenaTensor*>& placed, std::size_t bytes, bool smallest_gap) {
  std::size_t best = 0, smallest = std::numeric_limits<std::size_t>::max(), end = 0;
  for (const ArenaTensor* tensor : placed) {
    if (tensor->offset >= end + bytes && tensor->offset - end < smallest) {
      if (!smallest_gap) return end;
      smallest = tensor->offset - end;
      best = end;
    }
    end = std::max(end, tensor->offset + rounded(tensor->bytes));
  }
  return smallest == std::numeric_limits<std::size_t>::max() ? end : best;
}

/// Places the tensors one after the other, and returns the size of the block.
std::size_t place_in_order(std::vector<ArenaTensor>& tensors, const std::vector<std::size_t>& order,
                           bool smallest_gap) {
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
    tensor.offset = gap_for(others, rounded(tensor.bytes), smallest_gap);
    size = std::max(size, tensor.offset + rounded(tensor.bytes));
    done.push_back(number);
  }
  return size;
}

/// Keeps the best of the placements that are tried.
class Placements {
 public:
  explicit Placements(std::vector<ArenaTensor>& tensors) : tensors_(tensors), trial_(tensors) {}

  std::size_t best() const { return best_; }

  /// Whether this order needs the smallest block so far.
  bool attempt(const std::vector<std::size_t>& order) {
    bool is_better = false;
    for (const bool smallest_gap : {true, false}) {
      const std::size_t size = place_in_order(trial_, order, smallest_gap);
      if (size >= best_) continue;
      best_ = size;
      tensors_ = trial_;
      is_better = true;
    }
    return is_better;
  }

 private:
  std::vector<ArenaTensor>& tensors_;
  std::vector<ArenaTensor> trial_;
  std::size_t best_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

std::size_t place_in_arena(std::vector<ArenaTensor>& tensors) {
  if (tensors.empty()) return 0;
  constexpr std::size_t kWork = 200'000'000;  // comparisons of all attempts
  const auto attempts = std::clamp<std::size_t>(kWork / (tensors.size() * tensors.size()), 4, 400);
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t least = largest_live_bytes(tensors);
  Placements placements(tensors);
  placements.attempt(order);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].bytes > tensors[b].bytes; });
  placements.attempt(order);
  // Others by moving a tensor within the best order, the same ones in every run.
  std::mt19937 generator(1);
  for (std::size_t i = 0; i < attempts && placements.best() > least; ++i) {
    std::vector<std::size_t> changed = order;
    const std::size_t a = generator() % order.size(), b = generator() % order.size();
    const std::size_t moved = changed[a];
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(a));
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(b), moved);
    if (placements.attempt(changed)) order = changed;
  }
  return placements.best();
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
