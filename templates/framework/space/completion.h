// Completes partial configurations: how a template turns its formulas into seeds.
// Thread rule: pure functions.
#pragma once

#include <optional>

#include "nestwright/template.h"

namespace nestwright {

/// The configuration whose choices are those of `partial` (the first option where it names none, or one that is not
/// offered) and whose knobs are as close to it as the candidates and constraints allow; knobs that it does not name
/// stay near their first candidate. nullopt where no valid one was found nearby, or these choices have no legal
/// schedule.
std::optional<Config> complete_config(const Template& t, const Workload& workload, const Target& target,
                                      const Config& partial);

/// The same in a space that is part of a template's (nestwright/config_space.h): in the branch whose choices differ in
/// the fewest from those of `partial`, else in another one.
std::optional<Config> complete_within(const ConfigSpace& space, const Config& partial);

/// The configuration that a user names in part: with exactly the values given, and as close to the template's default
/// as the constraints allow. Throws UsageError for a knob that the template does not have or a value that is not a
/// candidate (both list the legal ones), for values that no branch has together, and if no valid configuration has
/// them, with the values and the reason of a constraint. `space` and `seeds` are those of the template,
/// which the message names.
Config complete_given(const Template& t, const Workload& workload, const ConfigSpace& space,
                      const std::vector<Config>& seeds, const Config& given);

/// complete_config() of each partial configuration, in order, without duplicates and without those that have no valid
/// configuration nearby. On a CPU the first one is the default: one whose choice `parallel` takes another option than
/// `none` if the work is worth it (parallel_worth.h), else one that takes `none`, if there are such.
std::vector<Config> complete_each(const Template& t, const Workload& workload, const Target& target,
                                  const std::vector<Config>& partial);

/// Seeds of a template from partial configurations: complete_each, else any valid configuration. Empty only where the
/// template has none, as no branch has a legal schedule.
std::vector<Config> complete_seeds(const Template& t, const Workload& workload, const Target& target,
                                   const std::vector<Config>& partial);

/// The template's own seeds; complete_seeds() of an empty list if it defines none.
std::vector<Config> seeds_of(const Template& t, const Workload& workload, const Target& target);

}  // namespace nestwright
