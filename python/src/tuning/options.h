// What a search is to do, as the package's keyword arguments say it.
// Thread rule: options_from() requires the interpreter's lock; context_of() must not have it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "nestwright/tune.h"
#include "run_errors.h"

namespace nestwright::python {

/// The target, and the state of its caches: "" is what searches take where nothing is said. Throws UsageError.
struct TargetAndCaches {
  Target target;
  CacheState caches = CacheState::kWarm;
};
TargetAndCaches target_and_caches(const std::string& target, const std::string& caches);

/// The context of a task of the run with these errors. Throws UsageError.
TaskContext context_of(const SharedRunErrors& errors, const Workload& workload, const std::string& target,
                       const std::string& caches);

/// The options of a session. Those that are None or missing have their defaults. Throws TypeError, UsageError.
SessionOptions options_from(const nanobind::dict& given);

}  // namespace nestwright::python
