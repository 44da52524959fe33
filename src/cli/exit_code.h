// What the process returns. Documented in the README; scripts depend on the numbers.
#pragma once

namespace nestwright::cli {

enum ExitCode : int {
  kDone = 0,
  kBug = 1,        ///< an internal error: ours
  kUsage = 2,      ///< unknown operator, parameter, knob, target, option
  kNotFound = 3,   ///< nothing recorded (query)
  kNoValid = 4,    ///< no candidate was valid (tune)
  kDatabase = 5,   ///< missing, locked, read-only, corrupt, newer schema, disk full
  kInterrupted = 130,
};

}  // namespace nestwright::cli
