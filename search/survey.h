// Measures a part of a task's space for its own sake, so that strategies can be compared on the record without
// measuring again (search/replay.h): the seeds, uniform samples, and near relatives of the best so far, as a climbing
// search would meet them. The record is an ordinary tuning log: origins say what a point is.
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "logs/tuning_log.h"
#include "search/recorded_space.h"
#include "search/strategy.h"

namespace nestwright {

struct SurveyOptions {
  int samples = 500;    ///< uniform over the valid points; fewer in a smaller space
  int relatives = 300;  ///< of the best, one or two knobs away
  std::uint64_t seed = 1;
};

/// Measured points so far.
using SurveyProgress = std::function<void(std::int64_t)>;

/// Records all in one session, as only times of one session can be compared. Throws LogError, UsageError, Error, and
/// UsageError where the log has a survey of the task.
void survey(const Task& task, TuningLog& log, const SurveyOptions& options, const SurveyProgress& progress = {});

/// What a survey found out of one point.
struct SurveyedPoint {
  Trial trial;
  bool counts = false;     ///< may be a best one: right, verified, not ended early
  bool is_sample = false;  ///< drawn uniformly
};

/// The survey of the workload on the target, whatever the machine was that made it; empty where there is none.
std::vector<SurveyedPoint> read_survey(const TuningLog& log, const Task& task);

}  // namespace nestwright
