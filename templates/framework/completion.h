// From a few wishes to a valid configuration: how a template turns its formulas into seeds.
// Thread rule: a pure function.
#pragma once

#include <optional>

#include "templates/framework/template.h"

namespace nestwright {

/// The configuration whose choices are those of `wishes` (the first option where it names none, or one that is not
/// offered) and whose knobs are as close to it as the candidates and constraints allow; knobs that it does not name
/// stay near their first candidate. nullopt where no valid one was found nearby.
std::optional<Config> complete_config(const Template& t, const Workload& workload, const Target& target,
                                      const Config& wishes);

/// What complete_config makes of each wish, in their order, all different; none where no wish comes true. On a CPU the
/// first one, which is the default, is parallel where the work is worth it (parallel_worth.h) and a wish allows it,
/// else serial.
std::vector<Config> complete_each(const Template& t, const Workload& workload, const Target& target,
                                  const std::vector<Config>& wishes);

/// Seeds of a template: complete_each; never empty, as a template has a configuration for every workload.
std::vector<Config> complete_seeds(const Template& t, const Workload& workload, const Target& target,
                                   const std::vector<Config>& wishes);

}  // namespace nestwright
