#include "cost_model/cost_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cost_model/random_model.h"
#include "cost_model/xgboost_model.h"
#include "support/error.h"

namespace nestwright {

namespace {

struct ModelEntry {
  const char* name;
  std::unique_ptr<CostModel> (*make)(std::uint64_t seed);
};

constexpr std::array kModels = {ModelEntry{"xgboost", make_xgboost_model}, ModelEntry{"random", make_random_model}};

}  // namespace

std::vector<std::string> cost_model_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : kModels) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<CostModel> make_cost_model(std::string_view name, std::uint64_t seed) {
  for (const ModelEntry& entry : kModels) {
    if (name == entry.name) return entry.make(seed);
  }
  throw UsageError(fmt::format("unknown cost model '{}': use one of {}", name, fmt::join(cost_model_names(), ", ")));
}

namespace {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) rank[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return rank;
}

}  // namespace

std::vector<Observation> with_and_without_resources(std::vector<Observation> observations) {
  for (std::size_t i = 0, count = observations.size(); i < count; ++i) {
    if (!observations[i].resources) continue;
    observations[i].weight /= 2;
    Observation compiled = observations[i];
    compiled.features = with_resources(std::move(compiled.features), *compiled.resources);
    observations.push_back(std::move(compiled));
  }
  return observations;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  check(a.size() == b.size(), "rank_correlation needs pairs");
  if (a.size() < 3) return std::nullopt;
  const std::vector<double> ra = ranks(a), rb = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double cross = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    cross += (ra[i] - mean) * (rb[i] - mean);
    square_a += (ra[i] - mean) * (ra[i] - mean);
    square_b += (rb[i] - mean) * (rb[i] - mean);
  }
  if (square_a == 0 || square_b == 0) return std::nullopt;
  return cross / std::sqrt(square_a * square_b);
}

}  // namespace nestwright
