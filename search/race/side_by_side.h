// Times a few configurations of a task beside each other, outside of any session: nothing is recorded.
// Thread rule: one thread at a time. Nothing else should load the machine meanwhile.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/measurement.h"
#include "nestwright/template.h"
#include "nestwright/tune.h"
#include "search/task/check_data.h"

namespace nestwright {

struct Side {
  const Template* source = nullptr;
  Config config;
};

/// Compiles the configurations as winners are, checks them as finalists are, and races those that are right in several
/// fresh processes, as many as the final race of that effort has. One measurement for each, in order; for ratios see
/// ratio_between (measure/race/race_finalists.h). `checks` limits their references. `is_over` ends the wait for other
/// tuners, and the race between two passes. `on_output`, which may be empty, is called with what a worker that died or
/// was killed had written to its standard error. Throws Error where a worker does not start. Requires a target that
/// this machine can run.
std::vector<Measurement> measure_side_by_side(const Task& task, std::span<const Side> sides, Effort effort,
                                              const std::function<bool()>& is_over, const CheckEffort& checks = {},
                                              const std::function<void(const std::string&)>& on_output = {});

}  // namespace nestwright
