#include "templates/checking/choose_elements.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <set>

namespace nestwright {
namespace {

constexpr std::int64_t kTail = 16;  // elements at the end of a dimension, where the last tiles are

std::int64_t number_of(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& shape) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + at[d];
  return number;
}

/// Adds `budget` elements along all edges, including the corners and the last ones of each edge.
void add_edges(const std::vector<std::int64_t>& shape, std::int64_t budget, std::set<std::int64_t>& chosen) {
  const std::size_t rank = shape.size();
  const std::int64_t edges = static_cast<std::int64_t>(rank) << (rank - 1);
  const std::int64_t each = std::max<std::int64_t>(budget / edges, 2);
  for (std::size_t along = 0; along < rank; ++along) {
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << rank); ++corner) {
      if ((corner >> along & 1) != 0) continue;
      std::vector<std::int64_t> at(rank);
      for (std::size_t d = 0; d < rank; ++d) at[d] = (corner >> d & 1) != 0 ? shape[d] - 1 : 0;
      const std::int64_t last = shape[along] - 1, tail = std::min({kTail, each / 2, shape[along]});
      for (std::int64_t n = 0; n < tail; ++n) {
        at[along] = last - n;
        chosen.insert(number_of(at, shape));
      }
      for (std::int64_t n = 0; n < each - tail; ++n) {
        at[along] = n * shape[along] / (each - tail);
        chosen.insert(number_of(at, shape));
      }
    }
  }
}

}  // namespace

std::vector<std::int64_t> choose_elements(const std::vector<std::int64_t>& shape, std::int64_t count) {
  const std::int64_t all = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::int64_t> numbers;
  if (all <= count) {
    for (std::int64_t n = 0; n < all; ++n) numbers.push_back(n);
    return numbers;
  }
  std::set<std::int64_t> chosen;
  std::vector<std::int64_t> extents;  // of the dimensions with more than one element
  for (const std::int64_t extent : shape) {
    if (extent > 1) extents.push_back(extent);
  }
  const std::int64_t on_edges = count / 2;
  const bool has_more_corners = std::int64_t{1} << std::min<std::size_t>(extents.size(), 62) > on_edges;
  if (!has_more_corners) add_edges(extents, on_edges, chosen);
  std::mt19937_64 random(1);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int drawn = 0; static_cast<std::int64_t>(chosen.size()) < count; ++drawn) {
    std::vector<std::int64_t> at;
    for (const std::int64_t extent : extents) at.push_back(below(extent));
    if (drawn % 2 == 0) {
      const auto d = static_cast<std::size_t>(below(static_cast<std::int64_t>(extents.size())));
      at[d] = extents[d] - 1 - below(std::min(kTail, extents[d]));
    }
    chosen.insert(number_of(at, extents));
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::int64_t> places_of(const ir::Buffer& output, const std::vector<std::int64_t>& numbers) {
  const std::vector<std::int64_t> shape = ir::constants_of(output->shape);
  std::vector<std::int64_t> places;
  for (std::int64_t number : numbers) {
    std::int64_t place = 0;
    for (int d = output->rank(); d-- > 0;) {
      const std::int64_t extent = shape[static_cast<std::size_t>(d)];
      place += number % extent * *ir::as_const_int(output->stride(d));
      number /= extent;
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace nestwright
