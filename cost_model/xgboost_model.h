// Gradient-boosted trees by XGBoost, squared error on throughput relative to the best seen (AutoTVM's "reg" objective:
// xgb_model in tvm v0.14 and later), so that telling the good ones apart weighs most. One thread: two are slower on a
// loaded machine and make results differ from run to run.
#pragma once

#include <memory>

#include "cost_model/cost_model.h"

namespace nestwright {

std::unique_ptr<CostModel> make_xgboost_model(std::uint64_t seed);

}  // namespace nestwright
