// The verifier: what every program must satisfy between passes. Runs after each pass in debug builds and tests.
#pragma once

#include <string>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

enum class Form : std::uint8_t {
  kLoop,
  kVector,        ///< of a CPU
  kDeviceVector,  ///< of a device, whose compiler unrolls what is to be unrolled
};

/// Every violation found, one sentence each, naming the statement; empty when the program is sound:
///  - variables are defined exactly once and before use, types and lanes agree, indices match the buffer's rank
///  - buffers are parameters or allocated around their use; nothing stores to an input
///  - accesses are within bounds, guards and masks taken into account; what cannot be proved is reported
///  - nothing is read from an output or an allocation that no statement before can have written
///  - a local or register buffer belongs to one iteration of every parallel loop and to one thread; a shared buffer
///  lies
///    inside the loops over blocks
///  - no two iterations of a parallel, bound or vectorised loop touch the same element of a buffer that is shared by
///    them, one of them writing
///  - a shuffle stands in the vector form of a device, as the whole value of a store to what is private to a thread,
///  where
///    all threads of each warp reach it
///  - a tensor instruction is one of the form's target, its operands are what its body accesses
///  - no two buffers have bytes of the workspace in common while both are in use
///  - loop form: no vector values; vector form: no vectorised or unrolled loop, register buffers at constant indices;
///    of a device: no vectorised loop, none over virtual threads, register buffers at indices of unrolled loops
/// Symbols are taken to be at least 1.
std::vector<std::string> verify(const Program& program, Form form);

}  // namespace nestwright::ir
