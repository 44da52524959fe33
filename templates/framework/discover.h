// The part of a template's space that one configuration is in: enough to check it, and a small share of the work that
// discovering the whole space is.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Runs the template once, with the choices that `config` makes: the space of that branch alone. Throws UsageError
/// where `config` makes a choice that the template does not have.
ConfigSpace discover_branch(const Template& t, const Workload& workload, const Target& target, const Config& config);

}  // namespace nestwright
