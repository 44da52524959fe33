// Lets a comparison run one chosen template of ours alone.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "templates/framework/workload.h"

namespace nestwright::bench {

/// The workload, with an operator that has the template of this name. A generic template, which serves any expression,
/// is added where the operator comes without it. An empty name changes nothing. Throws UsageError where no such
/// template is for the operator.
Workload with_template(const Workload& workload, const std::string& name);

}  // namespace nestwright::bench
