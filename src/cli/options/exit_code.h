// The exit codes of nestwright. Scripts depend on the numbers.
// Thread rule: constants.
#pragma once

namespace nestwright::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,     ///< any other failure: a worker that does not start, no memory, a bug
  kUsage = 2,      ///< unknown operator, parameter, knob, target, option; a file that cannot be read or written; no
                   ///< compiler, device
  kNotFound = 3,   ///< nothing recorded (query, explain, export)
  kNoValid = 4,    ///< no candidate was valid (tune, measure), or less is known than --require asks for
  kDatabase = 5,   ///< missing, locked, read-only, corrupt, newer schema, disk full
  kRegressed = 6,  ///< a stored best is slower, wrong or fails (revalidate)
  kInterrupted = 130,
};

/// The end of the help of every subcommand.
inline constexpr const char* kExitCodeHelp =
    "Exit codes: 0 done, 1 failed otherwise, 2 wrong usage, 3 nothing found, 4 no valid candidate,\n"
    "            5 database missing, locked, read-only, damaged or too new, or its disk full,\n"
    "            6 a stored best is slower, wrong or fails (revalidate),\n"
    "            130 interrupted (SIGINT or SIGTERM; what was found so far is kept).\n"
    "Results go to standard output, everything else to standard error.";

}  // namespace nestwright::cli
