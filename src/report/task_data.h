// What a report knows of one task: what the log recorded and, if this program has its operator, the task itself.
// Thread rule: values; reading uses one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "logs/listing/log_reader.h"
#include "logs/listing/sessions.h"
#include "nestwright/lookup.h"

namespace nestwright::report {

struct TaskData {
  std::string name;  ///< as the page calls it
  RecordedTask task;
  std::vector<ListedSession> sessions;
  std::vector<RecordedRace> races;
  std::vector<SessionProposals> proposals;
  std::vector<SpaceRecord> spaces;
  TrialColumns trials;
  std::int64_t recorded = 0;  ///< number of trials in the log: at least those of `trials`
  std::optional<BestRecord> best;
  MachineLimits limits;         ///< of its machine, on its threads; 0: not known
  double flops = 0, bytes = 0;  ///< of one run; bytes: tensors read and written once; 0: not known
  double memory_gb_s = 0;       ///< measured when the report was made, if this is the task's machine; else 0
  std::optional<TaskContext>
      context;                        ///< absent: this program does not have its operator, or was not asked for details
  std::string measure_command;        ///< TaskPage::measure_command
  std::vector<std::string> commands;  ///< that tune, query and export the task
};

/// Reads what the log at `path` recorded of a task. Of more than `max_trials` trials, the fastest half and the latest
/// half are kept. Throws LogError.
TaskData read_task(const LogReader& reader, const TuningLog& log, const RecordedTask& task, std::size_t max_trials);

/// Returns the time of the untuned default in the race that the best won, else the anchor of its session; 0 if neither
/// was timed.
double default_ns(const TaskData& data);

/// Replaces the folders of absolute paths in all texts by "...", since a report may be mailed.
void hide_paths(TaskData& data);
std::string without_paths(const std::string& text);

}  // namespace nestwright::report
