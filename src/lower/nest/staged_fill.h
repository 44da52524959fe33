// Stages the fill of a double buffer in registers: loads for the next iteration are issued before the current one
// computes, and their results are stored to shared memory after it, so that the computation hides the loads' latency.
//
//   if next: for i: S[1 - half, i] = A[...]               if next: for i: S.ahead[i] = A[...]
//   use S[half]                                    ->     use S[half]
//                                                         if next: for i: S[1 - half, i] = S.ahead[i]
//
// Thread rule: a pure function.
#pragma once

#include <optional>
#include <vector>

#include "nestwright/program.h"

namespace nestwright {

struct StagedFill {
  std::vector<ir::Buffer> registers;  ///< local buffers, to be allocated around both halves
  ir::Stmt load, store;
};

/// `fill`, split into its loads and its stores. Absent if it has anything but stores of global values to shared
/// buffers, in loops of few enough iterations for a thread's registers. If the device `has_async_copy`, stores that it
/// can do as asynchronous copies, of an element or a vector each, remain whole in `load`; absent also if all stores are
/// such. All stores to a buffer go through registers if an element may be written both by such a copy and from
/// registers, because registers are stored after the copy.
std::optional<StagedFill> stage_in_registers(const ir::Stmt& fill, bool has_async_copy);

/// Whether a fill of that form contains stores that remain whole, as asynchronous copies.
bool has_copies(const ir::Stmt& fill, bool has_async_copy);

}  // namespace nestwright
