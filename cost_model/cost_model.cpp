#include "cost_model/cost_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "cost_model/random_model.h"
#include "cost_model/xgboost_model.h"
#include "nestwright/error.h"

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

}  // namespace nestwright
