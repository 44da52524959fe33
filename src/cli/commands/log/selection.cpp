#include "cli/commands/log/selection.h"

#include <fmt/format.h>

#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "nestwright/error.h"

namespace nestwright::cli {
namespace {

/// Whether the words are the name of an operator alone.
bool is_operator_name(const CommonOptions& options) {
  return options.expression.empty() && options.workload.size() == 1 &&
         options.workload.front().find_first_of(" =[") == std::string::npos;
}

}  // namespace

Argument add_task_selection(Command& command, CommonOptions& options) {
  add_workload(command, options);
  add_db(command, options);
  return command.add_option("--target", options.target, "only this target, e.g. host or cpu,isa=avx2,threads=1")
      .value_name("TARGET");
}

void add_session(Command& command, SessionId& session, const std::string& what) {
  command.add_option("--session", session, what).value_name("N").check(integer(1, kLargestNumber));
}

void add_since(Command& command, std::string& since, const std::string& what) {
  command.add_option("--since", since, what + " a time, or within an age such as 30d")
      .value_name("TIME")
      .check(moment());
}

void add_limit(Command& command, std::int64_t& limit, const std::string& what) {
  command.add_option("--limit", limit, fmt::format("only {}; 0: all", what))
      .value_name("N")
      .check(integer(0, kLargestNumber))
      .show_default();
}

TaskSelection task_selection(const CommonOptions& options, bool has_target) {
  TaskSelection selection;
  selection.filter.with_foreign = true;
  if (is_operator_name(options)) {
    selection.filter.op = options.workload.front();
  } else if (options.has_workload()) {
    try {
      selection.filter.workload = options.parsed_workload(options.registry()).str();
    } catch (const UsageError& wrong) {
      if (!options.expression.empty()) throw;
      selection.not_a_workload = wrong.what();
      selection.filter.workload = options.workload_text();
    }
  }
  if (has_target) {
    try {
      selection.filter.target = options.parsed_target().str();
    } catch (const UsageError&) {
      selection.filter.target = options.target;  // of another tuner, or of another version of this program
    }
  }
  return selection;
}

int print_nothing_matches(const TaskSelection& selection, const CommonOptions& options, const std::string& what) {
  if (!selection.not_a_workload.empty()) return print_error(kUsage, selection.not_a_workload);
  return print_error(
      kNotFound, fmt::format("no {} that matches is recorded in '{}': see nestwright log sessions", what, options.db));
}

}  // namespace nestwright::cli
