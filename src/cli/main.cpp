// The nestwright executable: parses the command line, runs one subcommand, and turns every error into one sentence on
// standard error and a documented exit code.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "space/nearest_name.h"
#include "support/error.h"

namespace nestwright::cli {
namespace {

/// What is wrong with the words after the program's name, in one sentence.
std::string usage_sentence(const std::vector<std::string>& names, const WrongArguments& wrong, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty())
    return fmt::format("no command is given: use one of {} (see nestwright --help)", join_names(names));
  const bool known = std::find(names.begin(), names.end(), first) != names.end();
  if (!known && first.front() != '-') {
    const std::string meant = nearest_name(first, names);
    return fmt::format("there is no command '{}': {}use one of {} (see nestwright --help)", first,
                       meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant), join_names(names));
  }
  std::string what = wrong.what();
  // CLI11 names a switch that was given a value without its dashes.
  if (const std::size_t end = what.find(" was given a disallowed flag override"); end != std::string::npos) {
    what = fmt::format("--{} takes no value: give it alone", what.substr(0, end));
  }
  return fmt::format("{} (see nestwright {}--help)", what, known ? first + " " : "");
}

constexpr const char* kOutputFails = "standard output cannot be written: check where it goes";

int run_action(const Action& action) {
  try {
    const int code = action();
    if (std::fflush(stdout) != 0) return complain(kFailed, kOutputFails);
    return code;
  } catch (const LogError& e) {
    return complain(kDatabase, e.what());
  } catch (const UsageError& e) {
    return complain(kUsage, e.what());
  } catch (const ScheduleError& e) {
    return complain(kUsage, e.what());
  } catch (const LowerError& e) {
    return complain(kUsage, e.what());
  } catch (const CompileError& e) {
    return complain(kUsage, e.what());
  } catch (const std::bad_alloc&) {
    return complain(kFailed, "there is not enough memory: free some or choose smaller sizes");
  } catch (const std::exception& e) {
    // A longer output fails while it is printed, with words of the library's.
    return complain(kFailed, std::ferror(stdout) != 0 ? kOutputFails : e.what());
  }
}

int run(int argc, char** argv) {
  CommandLine line("Finds the fastest way to run a tensor operator on this machine.", "nestwright", NESTWRIGHT_VERSION,
                   kExitCodeHelp);
  Action action;
  add_tune(line, action);
  add_query(line, action);
  add_export(line, action);
  add_space(line, action);
  add_lower(line, action);
  add_templates(line, action);
  add_doctor(line, action);
  try {
    if (const std::optional<int> code = line.parse(argc, argv)) return *code;
  } catch (const WrongArguments& wrong) {
    return complain(kUsage, usage_sentence(line.command_names(), wrong, argc, argv));
  }
  return run_action(action);
}

/// Where one of the standard descriptors is closed, the first file that is opened would take its place, and messages
/// would be written into a database.
void occupy_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
}

/// A file that would be longer than `ulimit -f` allows is an error like a full disk, and not the end of the process.
void report_long_files() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace
}  // namespace nestwright::cli

int main(int argc, char** argv) {
  nestwright::cli::occupy_standard_descriptors();
  nestwright::cli::report_long_files();
  return nestwright::cli::run(argc, argv);
}
