// What `tune` shows of a task's run, alone or in a table of many.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report.h"
#include "search/shared_budget.h"

namespace nestwright::cli {

/// How many times as fast as the template's default; nothing where one of the two was not timed.
std::optional<double> ratio_to_default(const SessionResult& result);
/// What of the run does not count because the machine was disturbed, and what to do; empty: nothing.
std::string disturbance_text(const SessionResult& result);
double trials_per_second(std::int64_t trials, double seconds);

/// GFLOP/s that this machine reaches in float32 on the target's threads, measured now; 0 for a device.
double measure_peak(const Target& target);
/// GB/s that the target's threads read, measured now from a working set of `bytes` in all; 0 for a device.
double measure_read_rate(const Target& target, double bytes);
/// Of the type that the task computes in, from what the machine reached in float32.
double peak_of(const Task& task, double float32_peak_gflops);
/// Everything that a run says of one task. `peak_gflops` is peak_of() of what the machine reached just now, 0 where
/// that is not known.
Json result_json(const SessionResult& result, const Task& task, double peak_gflops);

/// A task of a file, for the table.
struct TaskRow {
  std::string label;
  Task task;
  double weight = 1;
  TaskOutcome outcome;
};
/// One line a task under a line of headings: label, trials of this run, seconds, best time, GFLOP/s, times as fast as
/// the default, and why it ended, with the outcomes that were not ok.
std::string table_text(const std::vector<TaskRow>& rows);
Json row_json(const TaskRow& row, double peak_gflops);

}  // namespace nestwright::cli
