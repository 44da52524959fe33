// Predicts from features how good a candidate is, so that thousands can be ranked for every one that is measured.
// Thread rule: predict() may run on several threads at once between updates; update() must run alone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/device_needs.h"
#include "cost_model/features.h"

namespace nestwright {

/// A measured candidate. `throughput` is runs per second, 0 for one that failed; or a share of some common best: what
/// is learnt is its size relative to the largest that a model is given.
struct Observation {
  Features features;
  double throughput = 0;
  double weight = 1;  ///< above 0
  /// What its kernels turned out to need, which `features` do not say; nullopt where no compiler told.
  std::optional<DeviceNeeds> needs = {};
};

/// What a model is given, so that it ranks candidates that are not compiled as well as those that are: each observation
/// as it was before it was compiled and, for as much weight, with its needs. With the needs alone a model would split
/// by columns that most candidates do not have, and take a missing value for a failure to compile.
std::vector<Observation> before_and_after_compiling(std::vector<Observation> observations);

class CostModel {
 public:
  virtual ~CostModel() = default;
  /// Learns from all of `observations` afresh: a pure function of them and of the model's seed.
  virtual void update(std::span<const Observation> observations) = 0;
  /// One score a row; higher is better, comparable within one model only. Before the first update every score is 0.
  virtual std::vector<double> predict(std::span<const Features> rows) const = 0;
  /// False where predictions carry no information: the model never learned, or cannot.
  virtual bool trained() const = 0;
};

/// Throws UsageError that lists the known names: xgboost, random.
std::unique_ptr<CostModel> make_cost_model(std::string_view name, std::uint64_t seed);
std::vector<std::string> cost_model_names();

/// Spearman's rank correlation, ties averaged; nullopt for fewer than three pairs or a constant side. What a model's
/// audit on held-out trials reads.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace nestwright
