// Describes the results of `tune` for one task or for a table of tasks.
// Thread rule: pure functions, except measure_peak(), measure_read_rate() and peak_of(), which measure the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/record_output.h"
#include "search/budget/shared_budget.h"

namespace nestwright::cli {

/// Returns the speedup over the template's default; nothing if either was not timed.
std::optional<double> ratio_to_default(const SessionResult& result);
/// Says which results do not count because the machine was disturbed, and what to do; empty if all count.
std::string disturbance_text(const SessionResult& result);
double trials_per_second(std::int64_t trials, double seconds);

/// Measures the float32 peak of this machine on the target's threads, in GFLOP/s; 0 for a device.
double measure_peak(const Target& target);
/// Measures the GB/s that the target's threads read from a working set of `bytes` in total, at most 256 MB each; 0 for
/// a device.
double measure_read_rate(const Target& target, double bytes);
/// Scales the float32 peak to the type that the task computes in; the scale is measured.
double peak_of(const Task& task, double float32_peak_gflops);
/// Reports all results of one task. `peak_gflops` is peak_of() of the peak measured now, or 0 if that is unknown.
Json tune_json(const SessionResult& result, const Task& task, double peak_gflops);

/// A task of a file, as a row of the table.
struct TaskRow {
  std::string label;
  Task task;
  double weight = 1;
  TaskOutcome outcome;
  bool is_alternative = false;  ///< ListedTask::is_alternative: that it has no result is no failure
};
/// Returns a line of headings and one line per task: label, trials of this run, seconds, best time, throughput, speedup
/// over the default, and why the task ended, with the outcomes that were not ok.
std::string table_text(const std::vector<TaskRow>& rows);
Json row_json(const TaskRow& row, double peak_gflops);

}  // namespace nestwright::cli
