#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/named_databases.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "logs/upkeep/merge.h"

namespace nestwright::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> from;
  std::string into;
  bool json = false;
};

int run(const MergeOptions& options) {
  Json merged = Json::list();
  for (const std::string& from : options.from) {
    const MergeResult added = merge_log(from, options.into, database_options());
    if (options.json) {
      merged.push_back({{"from", from},
                        {"tasks", added.tasks},
                        {"sessions", added.sessions},
                        {"trials", added.trials},
                        {"replaced", added.replaced},
                        {"races", added.races}});
      continue;
    }
    fmt::print("{}", printable(fmt::format("from '{}': {}, {}, {} and {} added, {} replaced by better measurements\n",
                                           from, counted(added.tasks, "task"), counted(added.sessions, "session"),
                                           counted(added.trials, "trial"), counted(added.races, "race"),
                                           counted(added.replaced, "trial"))));
  }
  if (options.json) print_json({{"into", options.into}, {"merged", merged}});
  return kDone;
}

}  // namespace

void add_log_merge(Command& log, Action& action) {
  auto options = std::make_shared<MergeOptions>();
  Command command =
      log.add_command("merge", "add everything in some databases to another one; merging them again adds nothing");
  command.add_option("from", options->from, "the databases to add, which are not changed")
      .value_name("FROM.db ...")
      .required();
  command.add_option("--into", options->into, "the database to add to, which is created if it does not exist")
      .value_name("TO.db")
      .required();
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.on_chosen(
      [options, &action] { action = [options] { return run_with_named_databases([&] { return run(*options); }); }; });
}

}  // namespace nestwright::cli
