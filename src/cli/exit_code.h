// What the process returns. Scripts depend on the numbers.
#pragma once

namespace nestwright::cli {

enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    ///< none of the others: a worker that does not start, no memory, a bug of ours
  kUsage = 2,     ///< unknown operator, parameter, knob, target, option; a file that cannot be written
  kNotFound = 3,  ///< nothing recorded (query, export)
  kNoValid = 4,   ///< no candidate was valid (tune)
  kDatabase = 5,  ///< missing, locked, read-only, corrupt, newer schema, disk full
  kInterrupted = 130,
};

/// Ends the help of every command.
inline constexpr const char* kExitCodeHelp =
    "Exit codes: 0 done, 1 failed otherwise, 2 wrong usage, 3 nothing found, 4 no valid candidate,\n"
    "            5 database missing, locked, read-only, damaged or too new, or its disk full,\n"
    "            130 interrupted (SIGINT or SIGTERM; what was found so far is kept).\n"
    "Results go to standard output, everything else to standard error.";

}  // namespace nestwright::cli
