// Gradient-boosted trees by XGBoost, with squared error on throughput relative to the best one (AutoTVM's "reg"
// objective, xgb_model in TVM v0.14 and later), which favours the order of the best candidates. Trains on one thread:
// two are slower on a loaded machine and make results vary from run to run.
// Thread rule: as cost_model/cost_model.h.
#pragma once

#include <memory>

#include "cost_model/cost_model.h"

namespace nestwright {

std::unique_ptr<CostModel> make_xgboost_model(std::uint64_t seed);

}  // namespace nestwright
