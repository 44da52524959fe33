// The control: scores that know nothing. A search is only as good as its lead over this one.
#pragma once

#include <memory>

#include "cost_model/cost_model.h"

namespace nestwright {

std::unique_ptr<CostModel> make_random_model(std::uint64_t seed);

}  // namespace nestwright
