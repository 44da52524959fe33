// The baseline for cost models: random scores. A learned model is worth its lead over this one.
// Thread rule: as cost_model/cost_model.h.
#pragma once

#include <memory>

#include "cost_model/cost_model.h"

namespace nestwright {

std::unique_ptr<CostModel> make_random_model(std::uint64_t seed);

}  // namespace nestwright
