// Inspects the assembly of a compiled kernel, to prove that register tiles stayed in registers.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

/// The problems of the innermost loops of x86-64 assembly in LLVM's AT&T syntax: vectors spilled to the stack, calls
/// (except those that start a parallel loop), and jumps other than the loop's own latch. One sentence each, with
/// function and label; empty if there are none. Loops are found by their back edges, whatever the layout of their
/// blocks; an innermost loop contains no other.
std::vector<std::string> innermost_loop_problems(const std::string& assembly);

/// The instructions of the innermost loop with the most instructions on vector registers, one a line, under its
/// function and label; "" if no innermost loop has any. The assembly is as above.
std::string vector_loop(const std::string& assembly);

}  // namespace nestwright
