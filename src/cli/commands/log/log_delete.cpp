#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/confirmation.h"
#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "logs/upkeep/delete.h"
#include "nestwright/error.h"

namespace nestwright::cli {
namespace {

struct DeleteOptions {
  CommonOptions common;
  bool has_target = false;
  DeletionOptions deletion;
  DeleteFilter filter;
};

/// "2 sessions with 128 trials and 2 races, and 1 task"
std::string counts_text(const DeleteResult& result) {
  return fmt::format("{} with {} and {}, and {}", counted(result.sessions, "session"), counted(result.trials, "trial"),
                     counted(result.races, "race"), counted(result.tasks, "task"));
}

Json result_json(const DeleteOptions& options, const DeleteResult& result) {
  return {{"database", options.common.db},
          {"dry_run", options.deletion.is_dry},
          {"tasks", result.tasks},
          {"sessions", result.sessions},
          {"trials", result.trials},
          {"races", result.races},
          {"kept_trials", result.kept_trials},
          {"kept_sessions", result.kept_sessions}};
}

int run(const DeleteOptions& options) {
  if (!options.common.has_workload() && !options.has_target && options.filter.session == 0 &&
      options.filter.before.empty()) {
    throw UsageError("nothing says what to delete: give a workload, an operator, --session, --target or --older-than");
  }
  DeleteFilter filter = options.filter;
  const TaskSelection selection = task_selection(options.common, options.has_target);
  filter.tasks = selection.filter;
  const auto run_delete = [&](bool is_dry) {
    return delete_sessions(options.common.db, filter, is_dry, database_options());
  };
  DeleteResult result = run_delete(options.deletion.is_dry || options.deletion.must_ask());
  if (result.sessions + result.kept_sessions == 0) {
    return print_nothing_matches(selection, options.common, "session");
  }
  if (options.deletion.must_ask()) {
    if (!ask_confirmation(fmt::format("Delete {} from database '{}'?", counts_text(result), options.common.db))) {
      return kDone;
    }
    result = run_delete(false);
  }
  if (options.common.json) {
    print_json(result_json(options, result));
    return kDone;
  }
  fmt::print("{} {}\n", options.deletion.is_dry ? "would delete" : "deleted", counts_text(result));
  if (result.kept_trials > 0) {
    fmt::print("{} of {} that were selected stay, because other sessions or races name them\n",
               counted(result.kept_trials, "trial"), counted(result.kept_sessions, "session"));
  }
  return kDone;
}

}  // namespace

void add_log_delete(Command& log, Action& action) {
  auto options = std::make_shared<DeleteOptions>();
  Command command = log.add_command("delete", "delete sessions with their trials and races, after asking");
  const Argument target = add_task_selection(command, options->common);
  add_session(command, options->filter.session, "only the session with this number");
  command
      .add_option("--older-than", options->filter.before,
                  "only sessions that began before a time such as 2026-11-30, or longer ago than an age such as 30d")
      .value_name("TIME")
      .check(moment());
  add_deletion(command, options->deletion);
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
