// From a schedule to something that can be called, in this process: lower, expand, compile, link.
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);
//
// Extents and strides may be symbols, var("n"): a call takes their values from the shapes and strides of what it is
// handed; none may be below 1. An output with room between its rows is declared in the list: {A, B, strided(C,
// {var("ldc"), 1})}. Thread rule: may be called by any threads at once.
#pragma once

#include <memory>
#include <string_view>

#include "codegen/backend.h"
#include "kernel/function.h"
#include "lower/argument.h"
#include "runtime/device.h"
#include "runtime/parallel.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace nestwright {

struct BuildOptions {
  Pipeline pipeline = Pipeline::kFinal;
  PoolKind pool_kind = PoolKind::kSpin;  ///< what runs parallel loops
  int threads = 0;                       ///< 0: as many as the target says
  /// A pool for several functions that are called in turn, instead of one of this function's own; null: its own.
  std::shared_ptr<ParallelPool> pool;
  /// Of a GPU's target: what it runs on, for several functions one; null: the first device of the target's kind.
  std::shared_ptr<Device> device;
};

/// The function `name` of `args`, inputs first. Throws UsageError where this machine cannot run the target's code or
/// a symbol of the program is no argument's extent or stride; LowerError, CompileError; DeviceError where a GPU or its
/// driver is missing.
Function build(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
               const BuildOptions& options = {});
/// The same from a program in loop form (lower/lower.h).
Function build(const ir::Program& loops, const Target& target, const BuildOptions& options = {});

}  // namespace nestwright
