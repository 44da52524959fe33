// Configurations as JSON, the form in which logs and manifests keep them:
//   {"pack_b":"whole","register_rows":14,"order":[1,0]}
// Labels are written as text, single values as numbers, the others as lists; entries keep their order.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "space/config.h"

namespace nestwright {

std::string to_json(const Config& config);

/// Labels come back without their values; ConfigSpace::resolve puts them in. Throws UsageError that names what is
/// malformed.
Config config_from_json(std::string_view text);

}  // namespace nestwright
