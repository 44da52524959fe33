// Measures a sample of a task's space, so that strategies can be compared on the record without measuring again
// (bench/replay/replay.h): the seeds, uniform samples, and near relatives of the best points so far, as a climbing
// search would visit them. The record is an ordinary tuning log; the origin of a proposal says which kind of point it
// is. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/replay/recorded_space.h"
#include "nestwright/database.h"
#include "search/propose/strategy.h"

namespace nestwright {

struct SurveyOptions {
  int samples = 500;    ///< drawn uniformly from the valid points; fewer in a smaller space
  int relatives = 300;  ///< of the best points, one or two knobs away
  std::uint64_t seed = 1;
};

/// Receives the number of points measured so far.
using SurveyProgress = std::function<void(std::int64_t)>;

/// Measures everything in one session, since only times of one session are comparable. Throws LogError, Error, and
/// UsageError where the log already has trials of the task.
void survey(const Task& task, TuningLog& log, const SurveyOptions& options, const SurveyProgress& progress = {});

/// A point of a survey with its result.
struct SurveyedPoint {
  SessionTrial trial;
  bool counts = false;     ///< can be the best: correct, verified, not ended early
  bool is_sample = false;  ///< drawn uniformly
};

/// The survey of the workload on the target, made on any machine; empty where there is none.
std::vector<SurveyedPoint> read_survey(const TuningLog& log, const Task& task);

}  // namespace nestwright
