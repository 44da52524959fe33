// Runs the source of a CUDA kernel with fragments on the host, with a thread for each of the GPU's. Instructions follow
// the tables of the PTX ISA ("Matrix Fragments for mma.m16n8k16", m16n8k32 and m16n8k8, "ldmatrix"). Thread rule: any
// number of threads at once; each call has files of its own.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/program.h"

namespace nestwright::testing {

/// A product of small integers, or for tf32 of values that round to such, so that the result is exact. C is float32 or
/// int32, and compact.
struct WarpProduct {
  ir::Type type;  ///< of A: float16, bfloat16, float32, or bytes, with a B of int8
  std::int64_t m, n, k;
  bool ta = false, tb = false;
};

/// The first wrong element or other failure of `source`, the source of `program`, which has one kernel; empty if the
/// result is right.
std::string run_on_emulated_warps(const ir::Program& program, const std::string& source, const WarpProduct& product);

/// The threads' accesses as access_counts.h prints them, and the groups of copies that a wait leaves in flight; or the
/// failure.
std::string count_accesses(const ir::Program& program, const std::string& source, const WarpProduct& product);

}  // namespace nestwright::testing
