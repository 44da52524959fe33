#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/named_databases.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "logs/upkeep/repair.h"

namespace nestwright::cli {
namespace {

struct RepairOptions {
  std::string damaged, out;
  bool json = false;
};

int run(const RepairOptions& options) {
  const std::string out = options.out.empty() ? options.damaged + ".repaired" : options.out;
  const std::vector<RepairedTable> tables = repair_log(options.damaged, out, database_options());
  if (options.json) {
    Json list = Json::list();
    for (const RepairedTable& table : tables) {
      list.push_back({{"table", table.name},
                      {"found", table.is_found},
                      {"kept", table.kept},
                      {"unreadable", table.unreadable},
                      {"dropped", table.dropped},
                      {"restored", table.restored}});
    }
    print_json({{"database", options.damaged}, {"out", out}, {"tables", list}});
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"rows kept", "unreadable", "dropped", "made again", "table"}};
  for (const RepairedTable& table : tables) {
    rows.push_back({std::to_string(table.kept), table.is_found ? std::to_string(table.unreadable) : "all",
                    std::to_string(table.dropped), std::to_string(table.restored), table.name});
  }
  fmt::print("{}", table_text(rows, "rrrrl"));
  note(printable(
      fmt::format("nestwright: what could be read is in '{}'; '{}' was left as it is\n", out, options.damaged)));
  return kDone;
}

}  // namespace

void add_log_repair(Command& log, Action& action) {
  auto options = std::make_shared<RepairOptions>();
  Command command = log.add_command("repair", "write what can be read of a damaged database to a new one");
  command.add_option("database", options->damaged, "the damaged database, which is left as it is")
      .value_name("DAMAGED.db")
      .required();
  command.add_option("--out", options->out, "the new database (default: DAMAGED.db.repaired)")
      .value_name("FILE")
      .check(not_empty());
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.on_chosen(
      [options, &action] { action = [options] { return run_with_named_databases([&] { return run(*options); }); }; });
}

}  // namespace nestwright::cli
