#include "cli/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "nestwright/error.h"
#include "space/nearest_name.h"
#include "support/base/caught_message.h"
#include "text/syntax/expression_error.h"

namespace nestwright::cli {
namespace {

/// Says in one sentence what is wrong with the command line.
std::string usage_sentence(const CommandLine& line, const WrongArguments& wrong, int argc, char** argv) {
  std::vector<std::string> path;       // of the command that the line names, as far as it exists
  std::string program = "nestwright";  // and the words that name it
  std::vector<std::string> names = line.command_names(path);
  int word = 1;
  for (; word < argc && std::find(names.begin(), names.end(), argv[word]) != names.end(); ++word) {
    path.emplace_back(argv[word]);
    program += " " + path.back();
    names = line.command_names(path);
  }
  const std::string next = word < argc ? argv[word] : "";
  const std::string help = fmt::format("(see {} --help)", program);
  const std::string of = path.empty() ? "" : " of " + program;
  if (!names.empty() && next.empty()) {
    return fmt::format("no command{} is given: use one of {} {}", of, join_names(names), help);
  }
  if (!names.empty() && next.front() != '-') {
    const std::string nearest = nearest_name(next, names);
    return fmt::format("there is no command '{}'{}: {}use one of {} {}", next, of,
                       nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest), join_names(names), help);
  }
  std::string what = wrong.what();
  // The message of CLI11 for a flag with a value names the flag without its dashes.
  if (const std::size_t end = what.find(" was given a disallowed flag override"); end != std::string::npos) {
    what = fmt::format("--{} takes no value: give it alone", what.substr(0, end));
  }
  return fmt::format("{} {}", what, help);
}

constexpr const char* kOutputFails = "standard output cannot be written: check where it goes";

int run_action(const Action& action) {
  try {
    const int code = action();
    if (std::fflush(stdout) != 0) return print_error(kFailed, kOutputFails);
    return code;
  } catch (const LogError& e) {
    return print_error(kDatabase, e.what());
  } catch (const text::ExpressionError& e) {
    const int code = print_error(kUsage, e.what());
    note(printable(e.excerpt()));
    return code;
  } catch (const UsageError& e) {
    return print_error(kUsage, e.what());
  } catch (const ScheduleError& e) {
    return print_error(kUsage, e.what());
  } catch (const LowerError& e) {
    return print_error(kUsage, e.what());
  } catch (const CompileError& e) {
    return print_error(kUsage, e.what());
  } catch (const std::bad_alloc&) {
    return print_error(kFailed, "there is not enough memory: free some or choose smaller sizes");
  } catch (...) {
    // Output that exceeds the buffer fails while it is printed, with a message of the library.
    return print_error(kFailed, std::ferror(stdout) != 0 ? kOutputFails : caught_message());
  }
}

int run(int argc, char** argv) {
  CommandLine line("Finds the fastest way to run a tensor operator on this machine.", "nestwright", NESTWRIGHT_VERSION,
                   kExitCodeHelp);
  Action action;
  add_tune(line, action);
  add_query(line, action);
  add_export(line, action);
  add_explain(line, action);
  add_measure(line, action);
  add_report(line, action);
  add_revalidate(line, action);
  add_log(line, action);
  add_model(line, action);
  add_space(line, action);
  add_lower(line, action);
  add_templates(line, action);
  add_doctor(line, action);
  try {
    if (const std::optional<int> code = line.parse(argc, argv)) return *code;
  } catch (const WrongArguments& wrong) {
    return print_error(kUsage, usage_sentence(line, wrong, argc, argv));
  }
  return run_action(action);
}

/// If a standard descriptor is closed, the next file that is opened gets its number, and messages would be written into
/// a database.
void occupy_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
}

/// Makes a write beyond `ulimit -f` fail like one to a full disk instead of ending the process.
void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

/// Makes sure that exit codes of child processes are known where the caller ignored them.
void receive_exit_codes() { std::signal(SIGCHLD, SIG_DFL); }

}  // namespace

int run_command_line(int argc, char** argv) {
  occupy_standard_descriptors();
  ignore_file_size_signal();
  receive_exit_codes();
  return run(argc, argv);
}

}  // namespace nestwright::cli
