// The command line of nestwright as a function: parses it, runs one subcommand, and reports every error as one sentence
// on standard error with a documented exit code. It is in the library, so that plugins and the commands that load them
// use the same one.
// Thread rule: called once, by the main thread.
#pragma once

#pragma GCC visibility push(default)

namespace nestwright::cli {

/// Returns the exit code. Changes what the process does on SIGXFSZ and SIGCHLD, and opens standard descriptors that are
/// closed.
int run_command_line(int argc, char** argv);

}  // namespace nestwright::cli

#pragma GCC visibility pop
