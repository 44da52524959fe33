// The options by which the subcommands of `nestwright log` select tasks of a database.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"
#include "nestwright/records.h"

namespace nestwright::cli {

/// What the words before the options, and --target select.
struct TaskSelection {
  TaskFilter filter;
  /// Why the words are no workload that can be tuned here, one sentence; empty: they are one, or none were given.
  /// Records of other tuners and of plugins that are not loaded have such workloads, too.
  std::string not_a_workload;
};

/// Declares the workload or operator, --target, --plugin and --db.
Argument add_task_selection(Command& command, CommonOptions& options);

/// Declares --session, a number from 1. `what` describes it: "only the session with this number".
void add_session(Command& command, SessionId& session, const std::string& what);

/// Declares --since. `what` describes it, without what a time is: "only those that began since".
void add_since(Command& command, std::string& since, const std::string& what);

/// Declares --limit, of which 0 means all. `what` describes it: "the latest N sessions".
void add_limit(Command& command, std::int64_t& limit, const std::string& what);

/// `has_target` says whether --target was given. Throws UsageError.
TaskSelection task_selection(const CommonOptions& options, bool has_target);

/// Explains on standard error that nothing matches, and returns the exit code.
int print_nothing_matches(const TaskSelection& selection, const CommonOptions& options, const std::string& what);

}  // namespace nestwright::cli
