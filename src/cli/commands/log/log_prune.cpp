#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/confirmation.h"
#include "cli/commands/log/log.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "logs/upkeep/prune.h"

namespace nestwright::cli {
namespace {

struct PruneOptions {
  CommonOptions common;
  bool has_target = false;
  DeletionOptions deletion;
  PruneFilter filter;
};

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

std::string readings_text(const PruneResult& result) {
  return fmt::format("the readings of {} of {} trials ({:.1f} MB)", result.emptied, result.trials,
                     megabytes(result.bytes));
}

Json result_json(const PruneOptions& options, const PruneResult& result) {
  return {{"database", options.common.db},
          {"dry_run", options.deletion.is_dry},
          {"trials", result.trials},
          {"emptied", result.emptied},
          {"bytes", result.bytes},
          {"bytes_before", result.bytes_before},
          {"bytes_after", result.bytes_after}};
}

int run(const PruneOptions& options) {
  PruneFilter filter = options.filter;
  const TaskSelection selection = task_selection(options.common, options.has_target);
  filter.tasks = selection.filter;
  const auto run_prune = [&](bool is_dry) { return prune_log(options.common.db, filter, is_dry, database_options()); };
  PruneResult result = run_prune(options.deletion.is_dry || options.deletion.must_ask());
  if (result.trials == 0) return print_nothing_matches(selection, options.common, "trial");
  if (options.deletion.must_ask() && result.emptied > 0) {
    if (!ask_confirmation(fmt::format("Delete {} from database '{}'?", readings_text(result), options.common.db))) {
      return kDone;
    }
    result = run_prune(false);
  }
  if (options.common.json) {
    print_json(result_json(options, result));
  } else if (options.deletion.is_dry) {
    fmt::print("would delete {}\n", readings_text(result));
  } else {
    fmt::print("deleted {}: the file had {:.1f} MB and has {:.1f} MB\n", readings_text(result),
               megabytes(result.bytes_before), megabytes(result.bytes_after));
  }
  return kDone;
}

}  // namespace

void add_log_prune(Command& log, Action& action) {
  auto options = std::make_shared<PruneOptions>();
  Command command =
      log.add_command("prune",
                      "shrink a database by the readings of trials that are not among the best of their task, after "
                      "asking; their configurations, times and outcomes stay, and so do races");
  const Argument target = add_task_selection(command, options->common);
  command.add_option("--keep", options->filter.best, "how many of the best trials of each task keep their readings")
      .value_name("N")
      .check(integer(0, kLargestNumber))
      .show_default();
  add_deletion(command, options->deletion);
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
