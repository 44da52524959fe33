// The passes of the second stage, loop form to vector form, in the order in which expand.cpp runs them; one file each
// under lower/passes/. Private to lower/, except the names. Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"
#include "target/target.h"

namespace nestwright {

/// Names of the passes that expand() runs for CPUs, or for the other devices, in order.
std::vector<std::string> expand_pass_names(DeviceKind device);

namespace expansion {

/// Statements that unrolling may make of one kernel.
inline constexpr std::int64_t kLargestUnroll = 20000;

/// On CUDA: what threads of a warp read of each other's elements in shared memory goes by shuffles of registers,
/// without barriers.
ir::Stmt warp_shuffles(const ir::Stmt& body, const Target& target);

/// On devices: loops over virtual threads become unrolled loops around single statements, inside of all barriers.
ir::Stmt virtual_threads(const ir::Stmt& body);

/// Each iteration of an unrolled loop becomes a copy of its body with the variable's value in place; branches that the
/// value decides go. Throws LowerError for an extent that is not constant and for more than kLargestUnroll statements.
ir::Stmt unroll(const ir::Stmt& body);

/// The checks of unroll(), whoever does the unrolling.
void limit_unrolling(const ir::Stmt& body);

/// On devices unrolled loops stay, for their compilers to unroll. Returns `body`; throws LowerError as
/// limit_unrolling() does, and where an index of a register buffer is made of more than variables of unrolled loops.
ir::Stmt unrolled_registers(const ir::Stmt& body);

/// Vectorised loops become vector statements: full vectors of the target, then a partial one. A partial vector, and a
/// guard that differs between lanes, become masks where the target has them, else narrower vectors and single elements.
/// Throws LowerError for an extent that is not constant, for loops that differ between lanes, and for a reduction over
/// the lanes.
ir::Stmt vectorize(const ir::Stmt& body, const Target& target);

/// Register and local buffers become what the backend keeps in registers: rows are padded so that a partial vector at
/// the end of a row is a full one, without a mask. Throws LowerError where an index of a register buffer is not
/// constant.
ir::Stmt register_tiles(const ir::Stmt& body);

/// The functions that lower/vector_math.h names become arithmetic on whole vectors (on scalars alike); what is used
/// more than once is held in lets before the statement. Devices other than CPUs have functions of their own.
ir::Stmt vector_math(const ir::Stmt& body, const Target& target);

/// Gives every global allocation its place in the workspace; those whose contents are never alive at once may share.
/// Those in parallel loops count from the start of each thread's part. Throws LowerError for a size that is not
/// constant.
ir::Program plan_storage(ir::Program program);

}  // namespace expansion
}  // namespace nestwright
