// Cost models predict from features how fast a candidate is, so that thousands are ranked for each one measured.
// Thread rule: predict() may run on several threads at once between updates; update() must run alone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/device_resources.h"
#include "cost_model/features.h"

namespace nestwright {

/// A measured candidate. `throughput` is in runs per second, or relative to a common best; 0 for a failure. Only ratios
/// matter: a model learns the throughput relative to the largest one that it is given.
struct Observation {
  Features features;
  double throughput = 0;
  double weight = 1;  ///< above 0
  /// The resources of its kernels, which `features` do not contain; nullopt where the compiler reports none.
  std::optional<DeviceResources> resources = {};
};

/// Training data for a model that ranks both compiled and uncompiled candidates: each observation with resources
/// becomes two of half its weight, one without them and one with them. Trained on complete rows alone, a model would
/// split by columns that most candidates lack, and take a missing value for a failure to compile.
std::vector<Observation> with_and_without_resources(std::vector<Observation> observations);

/// A model of the throughput of candidates.
class CostModel {
 public:
  virtual ~CostModel() = default;
  /// Trains the model from scratch on `observations`: a pure function of them and the model's seed.
  virtual void update(std::span<const Observation> observations) = 0;
  /// One score for each row; higher is better. Scores are comparable within one model only, and 0 before training.
  virtual std::vector<double> predict(std::span<const Features> rows) const = 0;
  /// False where predictions carry no information: the model was never trained, or cannot be.
  virtual bool is_trained() const = 0;
};

/// The model of this name. Throws UsageError that lists the known names.
std::unique_ptr<CostModel> make_cost_model(std::string_view name, std::uint64_t seed);
std::vector<std::string> cost_model_names();

}  // namespace nestwright
