// Runs the text of a CUDA kernel with fragments on the host, a thread for each of the GPU's: the instructions by the
// tables of the PTX ISA ("Matrix Fragments for mma.m16n8k16", m16n8k32 and m16n8k8, "ldmatrix"). Thread rule: pure
// functions, but for files of their own.
#pragma once

#include <cstdint>
#include <string>

#include "ir/core/program.h"

namespace nestwright::testing {

/// A product of small integers, or for tf32 what is rounded to such, which no rounding spoils: C of float32 or int32 is
/// compact.
struct WarpProduct {
  ir::Type type;  ///< of A: float16, bfloat16, float32, or bytes, with a B of int8
  std::int64_t m, n, k;
  bool ta = false, tb = false;
};

/// What is wrong with what `source` computes, the text for `program`, which has one kernel of warps of 4 by 8 threads;
/// empty: nothing.
std::string run_on_emulated_warps(const ir::Program& program, const std::string& source, const WarpProduct& product);

/// What the threads access, as access_counts.h says it, and the groups of copies that a wait leaves in flight; or what
/// is wrong.
std::string count_accesses(const ir::Program& program, const std::string& source, const WarpProduct& product);

}  // namespace nestwright::testing
