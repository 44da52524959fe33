// Builds a callable function from a schedule, in this process: lower, expand, compile, link.
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);
//
// Extents and strides may be symbols, var("n"), whose values a call takes from the shapes and strides of its arguments;
// they are at least 1. An output with gaps between its rows is declared in the list: {A, B, strided(C, {var("ldc"),
// 1})}.
// Thread rule: any number of threads may build at once.
#pragma once

#include <memory>
#include <string_view>

#include "codegen/backend.h"
#include "kernel/function.h"
#include "lower/nest/argument.h"
#include "runtime/device.h"
#include "runtime/parallel_pool.h"
#include "schedule/schedule.h"
#include "target/description/target.h"

namespace nestwright {

/// How to compile and run a function.
struct BuildOptions {
  Pipeline pipeline = Pipeline::kFinal;
  PoolKind pool_kind = PoolKind::kSpin;  ///< the pool that runs parallel loops
  int threads = 0;                       ///< 0: as many as the target has
  /// A pool to share among functions that are not called at the same time; null: a pool for this function alone.
  std::shared_ptr<ParallelPool> pool;
  /// GPU targets only: the device to run on, which functions may share; null: the first device of the target's kind.
  std::shared_ptr<Device> device;
};

/// Builds the function `name` of `args`, inputs first. Throws UsageError if this machine cannot run the target's code
/// or a symbol of the program is not an argument's extent or stride; LowerError; CompileError; DeviceError if a GPU or
/// its driver is missing.
Function build(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
               const BuildOptions& options = {});
/// The same, from a program in loop form (lower/lower.h).
Function build(const ir::Program& loops, const Target& target, const BuildOptions& options = {});

}  // namespace nestwright
