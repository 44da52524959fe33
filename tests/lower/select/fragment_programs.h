// Products on tensor cores, in loop form, for the tests of instruction selection, and how they are run.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/core/program.h"
#include "target/target.h"

namespace nestwright::testing {

/// C[16, 16] = A[16, 16] * B[16, 16] by one warp, float16 in float32, through fragments that are loaded from shared
/// memory.
ir::Program one_warp();

/// C[64, 16] = A[64, 64] * B[16, 64] by the four warps of a warpgroup, float16 in float32, of matrices in shared memory
/// that are fetched by slices of 16.
ir::Program one_warpgroup();

/// The program unscheduled.
ir::Program unscheduled_warp();
ir::Program unscheduled_warpgroup();

/// The vector form, verified after each pass.
ir::Program selected(const ir::Program& program, const char* target = "cuda,arch=sm_90");

/// The output that the interpreter computes of small whole numbers, which no order of summation rounds.
std::vector<float> run_halves(const ir::Program& program);

/// How many instructions of a kind the program has.
int count(const ir::Program& program, ir::TensorOp op);

/// The program with 1 added to operand `operand` of each instruction of a kind.
ir::Program with_wrong_operand(ir::Program program, ir::TensorOp op, std::size_t operand);

}  // namespace nestwright::testing
