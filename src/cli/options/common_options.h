// Options and output functions that the subcommands share. Results go to standard output (one JSON document with
// --json), everything else to standard error. Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cli/options/exit_code.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/registry.h"

namespace nestwright::cli {

/// Runs the chosen subcommand and returns the exit code of the process.
using Action = std::function<int()>;

/// Options that several subcommands take. The help shows these defaults.
struct CommonOptions {
  std::vector<std::string> workload;  ///< words of the workload; quoting them is optional
  std::string expression;             ///< an expression text, whose sizes are then the words of the workload; or empty
  std::string db;
  std::string target = "host";
  int threads = 0;                    ///< 0: as many as the target has
  std::optional<std::string> caches;  ///< when a timed call begins; absent: warm, on devices cold
  bool json = false;
  std::vector<std::string> plugins;  ///< files, in addition to those of NESTWRIGHT_PLUGINS

  std::string workload_text() const;
  /// A line with the expression as it was given, whose canonical text reports call the workload; "" if none was given.
  std::string given_line() const;
  /// Nestwright's own operators and those of the plugins. Throws UsageError.
  Registry registry() const;
  /// Throws UsageError, also if no workload is given.
  Workload parsed_workload(const Registry& registry) const;
  /// Throws UsageError.
  Target parsed_target() const;
  /// Throws UsageError if they are not to be had on the target.
  CacheState parsed_caches(const Target& target) const;
  /// Throws UsageError.
  TaskContext task(const Registry& registry) const;
  bool has_workload() const { return !workload.empty() || !expression.empty(); }
};

/// Parses a workload of a registered operator or, if the text contains a bracket, of an expression. Throws UsageError.
Workload parse_any_workload(const Registry& registry, const std::string& text);

void add_workload(Command& command, CommonOptions& options);
Argument add_db(Command& command, CommonOptions& options);
Argument add_target(Command& command, CommonOptions& options);
void add_caches(Command& command, CommonOptions& options);
void add_json(Command& command, CommonOptions& options);
/// Part of add_workload().
void add_plugins(Command& command, CommonOptions& options);

/// How the subcommands open databases: notes go to standard error.
OpenOptions database_options();
/// Opens the database of --db; its notes go to standard error. `check` is OpenOptions::check. Throws LogError.
TuningLog open_database(const CommonOptions& options, OpenMode mode, bool check = false);
/// Calls look_up() on the database of --db. If the file does not exist and `db_given` is false, returns the template's
/// default.
Lookup look_up_in(const CommonOptions& options, bool db_given, const TaskContext& context, std::string_view only = {});
/// The folder of the references of --db (search/task/check_data.h); "" if there is no such database.
std::string references_kept_by(const CommonOptions& options);

/// Replaces control characters other than newlines by \xNN, so that text from a database or file cannot control the
/// terminal.
std::string printable(const std::string& text);
/// Prints to standard error and flushes it. Ignores write errors, so that they do not end a run.
void note(const std::string& text);
/// Prints a note if the lock that keeps other tuners from timing at once is not available: this run then times without
/// it.
void note_missing_lock(const Target& target);
/// Prints "nestwright: " and the sentence to standard error, as one line, and returns `code`.
int print_error(ExitCode code, std::string sentence);

// Each function declares one subcommand, which sets `action` if it is chosen, and is in the file of that name.
void add_tune(CommandLine& line, Action& action);
void add_query(CommandLine& line, Action& action);
void add_export(CommandLine& line, Action& action);
void add_explain(CommandLine& line, Action& action);
void add_measure(CommandLine& line, Action& action);
void add_report(CommandLine& line, Action& action);
void add_log(CommandLine& line, Action& action);
void add_model(CommandLine& line, Action& action);
void add_revalidate(CommandLine& line, Action& action);
void add_space(CommandLine& line, Action& action);
void add_lower(CommandLine& line, Action& action);
void add_templates(CommandLine& line, Action& action);
void add_doctor(CommandLine& line, Action& action);

}  // namespace nestwright::cli
