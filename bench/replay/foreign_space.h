// A recorded space of another tuner (logs/exchange) as a task that strategies can search: an operator that computes
// nothing, with a template whose knobs have the values that were recorded. Programs of all points are the same, so a
// cost model learns from the knobs alone.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "bench/replay/survey.h"
#include "nestwright/database.h"
#include "nestwright/workload.h"

namespace nestwright {

/// A recorded space and its points, all of which count as drawn uniformly: such files have whole spaces, or a sample.
struct ForeignReplay {
  std::string workload;  ///< as it is recorded: "kernel_tuner:convolution problem_size=4096,4096"
  std::string device;
  Task task;
  std::vector<SurveyedPoint> points;
};

/// The recorded spaces of other tuners in a database, or in a file that one can import (logs/exchange/exchange.h).
/// Throws UsageError if the file has none; LogError.
std::vector<ForeignReplay> read_foreign_spaces(const std::string& file);

}  // namespace nestwright
