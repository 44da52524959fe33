// Discovers only the branch of a template's space that contains a given configuration. That suffices to check the
// configuration, at a small share of the cost of discovering the whole space.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Runs the template once, with the choices that `config` makes: the space of that branch alone. Throws UsageError
/// where `config` makes a choice that the template does not have.
ConfigSpace discover_branch(const Template& t, const Workload& workload, const Target& target, const Config& config);

}  // namespace nestwright
