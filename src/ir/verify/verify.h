// The verifier of programs: checks what every program must satisfy between passes. It runs after each pass in debug
// builds and tests.
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

enum class Form : std::uint8_t {
  kLoop,
  kVector,        ///< the vector form of a CPU
  kDeviceVector,  ///< the vector form of a device, whose compiler unrolls loops
};

/// The violations of the rules of verify(), one sentence each that names the statement.
struct Violations {
  std::vector<std::string> broken;    ///< the program breaks a rule
  std::vector<std::string> unproved;  ///< accesses that are not proved to be within bounds or free of races, but may be

  bool empty() const { return broken.empty() && unproved.empty(); }
};

/// The violations of the rules below; none if the program is sound:
///  - variables are defined exactly once and before use, types and lanes agree, indices match the buffer's rank
///  - buffers are parameters or allocated around their use; nothing stores to an input
///  - accesses are within bounds, given guards and masks; one that cannot be proved to be is reported
///  - an output or an allocation is read only where a statement before may have written it
///  - a local or register buffer belongs to one iteration of every parallel loop and to one thread; a shared buffer is
///    allocated inside the loops over blocks
///  - where two iterations of a parallel, bound or vectorised loop share a buffer, they do not access the same element
///    while one of them writes it
///  - a shuffle occurs in the vector form of a device, as the whole value of a store to memory that is private to a
///    thread, in control flow that is uniform across the warp
///  - a tensor instruction is one of the form's target, and its operands are what its body accesses
///  - no element whose copy is in flight is accessed, and stores to fragments are warp-uniform
///  - two buffers that are live at the same time share no bytes of the workspace
///  - loop form: no vector values; vector form: no vectorised or unrolled loop, register buffers at constant indices;
///    of a device: no vectorised loop, none over virtual threads, register buffers at indices of unrolled loops
/// Symbols are assumed to be at least 1 and to meet the program's requirements.
Violations find_violations(const Program& program, Form form);

/// All violations, those that break a rule first.
std::vector<std::string> verify(const Program& program, Form form);

}  // namespace nestwright::ir
