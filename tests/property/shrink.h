// Shrinks a failing case as long as it fails in the same way: fewer computes, fewer and smaller choices in them, fewer
// and smaller schedule steps.
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/property/check.h"

namespace nestwright::property {

/// The parts of a case, independent of its seed.
struct Case {
  std::vector<std::vector<std::uint32_t>> computes;  ///< one sequence of choices for each compute
  Goal goal;
  Trace trace;
  std::uint64_t data_seed = 1;
  Depth depth;
};

/// A case with its outcome.
struct Tried {
  Case made;  ///< as it was used: only choices that were drawn and steps that applied
  Outcome outcome;
  std::string expression, schedule;  ///< printed
};
Tried try_case(const Case& attempt, Tamper tamper = nullptr);

/// The smallest case found in `tries` attempts with the verdict of `failing`. Requires a failure.
Tried shrink(const Tried& failing, int tries = 1500, Tamper tamper = nullptr);

/// Expression, trace, schedule, outcome and programs.
std::string report(const Tried& tried);

}  // namespace nestwright::property
