// The verifier of programs, with its two kinds of violation. It runs after each pass in debug builds and tests; the
// rules are those of verify() in nestwright/program.h.
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// The violations of the rules of verify(), one sentence each that names the statement.
struct Violations {
  std::vector<std::string> broken;    ///< the program breaks a rule
  std::vector<std::string> unproved;  ///< accesses that are not proved to be within bounds or free of races, but may be

  bool empty() const { return broken.empty() && unproved.empty(); }
};

/// Returns the violations; none if the program is sound.
Violations find_violations(const Program& program, Form form);

}  // namespace nestwright::ir
