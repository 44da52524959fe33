// Reads back what the compiler made of a kernel: the proof that register tiles stayed in registers.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

/// What is wrong with the innermost loops of x86-64 assembly as LLVM prints it (AT&T): vectors that live on the stack,
/// calls (but those that start a parallel loop), and jumps other than the loop's own latch. One sentence each, naming
/// function and label; empty where all are clean. Loops are found by the jumps, wherever the compiler placed their
/// blocks; an innermost one has no other within.
std::vector<std::string> innermost_loop_problems(const std::string& assembly);

}  // namespace nestwright
