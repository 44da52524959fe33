// What a report knows of one task: what the log recorded and, if this program has its operator, the task itself.
// Thread rule: values; reading uses one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/comparable_times.h"
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
  ComparableTimes times;  ///< of the trials, in one unit
  std::optional<BestRecord> best;
  MachineLimits limits;         ///< of its machine, on its threads; 0: not known
  double flops = 0, bytes = 0;  ///< of one run; bytes: tensors read and written once; 0: not known
  double peak_gflops = 0;       ///< the limit for the type of the task; 0: not known
  double memory_gb_s = 0;       ///< measured when the report was made, if this is the task's machine; else 0
  std::optional<TaskContext>
      context;                        ///< absent: this program does not have its operator, or was not asked for details
  std::string measure_command;        ///< TaskPage::measure_command
  std::vector<std::string> commands;  ///< that tune, query and export the task
  bool hides_paths = false;           ///< so must texts that are made of it
};

/// Reads what the log recorded of a task. Both are of one database. Throws LogError.
TaskData read_task(const LogReader& reader, const TuningLog& log, const RecordedTask& task);

/// Returns the time of a trial in the unit that all have (ComparableTimes::unit), for comparisons between trials; 0 if
/// it is not sound or not comparable.
double compared_ns(const TaskData& data, std::size_t trial);
/// Returns a sentence that says what compared_ns() leaves out, with a blank before it; empty: nothing.
std::string unit_note(const TaskData& data);

/// Returns the time of the untuned default in the race that the best won, else the anchor of its session; 0 if neither
/// was timed.
double default_ns(const TaskData& data);

/// Replaces the folders of absolute paths by "...", and with them the names of users: "/home/a/b.c" -> ".../b.c".
std::string without_paths(const std::string& text);
/// Does so in all texts of the task, since a report may be mailed.
void hide_paths(TaskData& data);

}  // namespace nestwright::report
