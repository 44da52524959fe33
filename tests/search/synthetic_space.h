// A space of points of a made-up template, numbered from 0, of which only given ones are valid.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "nestwright/registry.h"
#include "tests/search/points.h"

namespace nestwright {

class SyntheticSpace final : public SearchSpace {
 public:
  SyntheticSpace(std::int64_t size, const std::vector<std::int64_t>& valid, bool is_count_exact = true)
      : SearchSpace(Task{parse_workload("matmul m=1 n=1 k=1"), Target::parse("cpu,isa=avx512,threads=1")}),
        size_(size),
        valid_(valid),
        is_count_exact_(is_count_exact) {
    seeds_ = {numbered_point(valid.front())};
  }

  static std::int64_t number(const Point& p) { return p.config.entries()[0].value[0]; }

  std::vector<Part> parts() const override { return {}; }
  std::optional<Point> sample(std::mt19937_64& random) const override {
    return numbered_point(valid_[random() % valid_.size()]);
  }
  /// The next valid point on either side.
  std::optional<Point> mutate(const Point& p, int, std::mt19937_64& random) const override {
    const auto at = std::lower_bound(valid_.begin(), valid_.end(), number(p)) - valid_.begin();
    const auto count = static_cast<std::ptrdiff_t>(valid_.size());
    return numbered_point(valid_[static_cast<std::size_t>((at + (random() % 2 == 0 ? 1 : count - 1)) % count)]);
  }
  std::optional<Point> crossover(const Point&, const Point&, std::mt19937_64&) const override { return std::nullopt; }
  unsigned __int128 size() const override { return static_cast<unsigned __int128>(size_); }
  Point at(unsigned __int128 index) const override { return numbered_point(static_cast<std::int64_t>(index)); }
  bool is_valid(const Point& p) const override { return std::binary_search(valid_.begin(), valid_.end(), number(p)); }
  std::optional<double> exact_valid_points() const override {
    return is_count_exact_ ? std::optional(static_cast<double>(valid_.size())) : std::nullopt;
  }

 private:
  std::int64_t size_;
  std::vector<std::int64_t> valid_;  ///< sorted
  bool is_count_exact_;
};

/// The multiples of `step` below `size`.
inline std::vector<std::int64_t> multiples(std::int64_t step, std::int64_t size) {
  std::vector<std::int64_t> list;
  for (std::int64_t x = 0; x < size; x += step) list.push_back(x);
  return list;
}

}  // namespace nestwright
