// The nestwright executable: parses the command line, runs one subcommand, and turns every error into one sentence on standard
// error and a documented exit code.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "support/error.h"

namespace nestwright::cli {
namespace {

int complain(ExitCode code, const std::string& sentence) {
  fmt::print(stderr, "nestwright: {}\n", sentence);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Finds the fastest way to run a tensor operator on this machine.", "nestwright");
  app.require_subcommand(1);
  app.set_version_flag("--version", NESTWRIGHT_VERSION);
  app.footer(
      "Exit codes: 0 done, 1 internal error, 2 usage, 3 nothing found, 4 no valid candidate, 5 database, 130 interrupted.");
  Action action;
  add_tune(app, action);
  add_query(app, action);
  add_export(app, action);
  add_space(app, action);
  add_lower(app, action);
  add_templates(app, action);
  add_doctor(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    std::string message = wrong.what();
    std::replace(message.begin(), message.end(), '\n', ' ');
    return complain(kUsage, message + " (see nestwright --help)");
  }
  try {
    return action();
  } catch (const LogError& e) {
    return complain(kDatabase, e.what());
  } catch (const InternalError& e) {
    return complain(kBug, e.what());
  } catch (const Error& e) {
    return complain(kUsage, e.what());
  } catch (const std::exception& e) {
    return complain(kBug, e.what());
  }
}

}  // namespace
}  // namespace nestwright::cli

int main(int argc, char** argv) { return nestwright::cli::run(argc, argv); }
