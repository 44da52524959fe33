// Products on tensor cores in loop form, for the tests of instruction selection, and functions that run them.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright::testing {

/// C[16, 16] = A[16, 16] * B[16, 16] by one warp, float16 in float32, with fragments that are loaded from shared
/// memory.
ir::Program one_warp();

/// C[64, 16] = A[64, 64] * B[16, 64] by the four warps of a warpgroup, float16 in float32, with slices of 16 steps in
/// shared memory.
ir::Program one_warpgroup();

/// The same products without a schedule.
ir::Program unscheduled_warp();
ir::Program unscheduled_warpgroup();

/// The vector form of a program, verified after each pass.
ir::Program selected(const ir::Program& program, const char* target = "cuda,arch=sm_90");

/// The interpreter's output for inputs of small integers, whose sums are exact in every order.
std::vector<float> run_halves(const ir::Program& program);

/// The number of instructions `op` in the program.
int count(const ir::Program& program, ir::TensorOp op);

/// The program with each instruction `op` changed, or removed if `change` is empty.
ir::Program with_changed(ir::Program program, ir::TensorOp op,
                         const std::function<void(ir::TensorInstruction&)>& change);
/// The program with 1 added to operand `operand` of each instruction `op`.
ir::Program with_wrong_operand(const ir::Program& program, ir::TensorOp op, std::size_t operand);

}  // namespace nestwright::testing
