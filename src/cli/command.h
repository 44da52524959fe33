// What the subcommands share: options, the way they are declared, and how results are shown.
// Standard output carries the result (one JSON document with --json), standard error everything else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "logs/tuning_log.h"
#include "lookup/lookup.h"
#include "templates/framework/workload.h"

namespace nestwright::cli {

/// Set by the chosen subcommand; main runs it and returns its exit code.
using Action = std::function<int()>;

/// Options that several commands take. Defaults are what help shows.
struct CommonOptions {
  std::vector<std::string> workload;  ///< words, joined by spaces: quoting is optional
  std::string db;
  std::string target = "host";
  int threads = 0;  ///< 0: the target's
  bool json = false;

  std::string workload_text() const;
  /// Throws UsageError.
  Workload parsed_workload() const;
  Target parsed_target() const;
  Task task() const { return {parsed_workload(), parsed_target()}; }
};

void add_workload(Command& command, CommonOptions& options, bool required = true);
Argument add_db(Command& command, CommonOptions& options);
Argument add_target(Command& command, CommonOptions& options);
void add_json(Command& command, CommonOptions& options);

/// The database of --db, whose notes go to standard error. `check`: as OpenOptions::check. Throws LogError.
TuningLog open_database(const CommonOptions& options, OpenMode mode, bool check = false);
/// look_up() there; where the file is not there and nobody named it, the template's default.
Lookup look_up_in(const CommonOptions& options, bool db_given, const Task& task, std::string_view only = {});

/// Control characters but the ends of lines as \xNN: what a database or a file holds may not drive the terminal.
std::string printable(const std::string& text);
/// To standard error, at once. What cannot be written there is dropped: it ends no run.
void note(const std::string& text);
/// Prints "nestwright: " and the sentence to standard error, in one line whatever it quotes, and returns the code.
int complain(ExitCode code, std::string sentence);

// One file a subcommand. Each declares itself on `line` and sets `action` when it is chosen.
void add_tune(CommandLine& line, Action& action);
void add_query(CommandLine& line, Action& action);
void add_export(CommandLine& line, Action& action);
void add_space(CommandLine& line, Action& action);
void add_lower(CommandLine& line, Action& action);
void add_templates(CommandLine& line, Action& action);
void add_doctor(CommandLine& line, Action& action);

}  // namespace nestwright::cli
