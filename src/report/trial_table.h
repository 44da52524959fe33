// All trials of a report as a table of CSV or as JSON, for plots of one's own.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "report/task_data.h"

namespace nestwright::report {

/// Returns a line of headings and one line per trial (RFC 4180): workload, target, caches, machine, trial, session,
/// seconds, outcome, flags, time and interval in nanoseconds (empty: not timed), template, configuration, proposed by,
/// message.
std::string trials_csv(const std::vector<TaskData>& tasks);

/// Returns a list with an object per task: its name, its key, its best, its sessions, its races with the medians of
/// processes, and its trials as columns.
std::string trials_json(const std::vector<TaskData>& tasks);

}  // namespace nestwright::report
