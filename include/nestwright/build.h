// Builds a callable function from a schedule, in this process: lower, expand, compile, link.
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);   // Arrays, or ArrayViews of memory that somebody else owns
//
// Extents and strides may be symbols, var("n"), whose values a call takes from the shapes and strides of its arguments;
// they are at least 1. An output with gaps between its rows is declared in the list: {A, B, strided(C, {var("ldc"),
// 1})}.
//
// If its schedule prepares constants, a function is called in two steps, the first of them once per set of constants:
//
//   Function layer = matrix_mul.prepare(weights);
//   layer(a, c);
//
// A function for a GPU takes host memory as well: each call copies its inputs to the device, runs there and copies the
// outputs back.
//
// Thread rule: any number of threads may build at once. A Function is a handle; copies denote the same function. One
// call at a time, across all copies and prepared functions, because they share a workspace and threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "nestwright/array.h"
#include "nestwright/device.h"
#include "nestwright/lower.h"
#include "nestwright/parallel_pool.h"

namespace nestwright {

class CallSignature;  // what a call is checked against

}  // namespace nestwright

#pragma GCC visibility push(default)

namespace nestwright {

class Function {
 public:
  /// Runs a program on one pointer per parameter and one value per symbol, in order; returns when it is done.
  using Entry = std::function<void(std::span<void* const> buffers, std::span<const std::int64_t> symbols)>;

  /// `program` is in loop form. `preparation` is the entry that prepares constants; empty if there is none.
  Function(ir::Program program, CallSignature signature, Entry entry, Entry preparation = {});

  /// Calls the function with one Array or ArrayView per tensor of the signature, in order; only inputs may be const.
  /// Throws UsageError, before anything runs, for an argument that does not fit: the message names it, the expected and
  /// the actual value. The results are in place when it returns.
  template <class... Arrays>
  void operator()(Arrays&&... arrays) const {
    const std::array<ArrayRef, sizeof...(Arrays)> arguments{ArrayRef(arrays)...};
    call(arguments);
  }
  /// The same, with the arguments in a list.
  void call(std::span<const ArrayRef> arguments) const;

  /// Returns the function for these constants, which is called without them. It keeps the prepared data, so the
  /// constants need not outlive it. Throws UsageError if there is nothing to prepare, and as a call does.
  template <class... Arrays>
  Function prepare(Arrays&&... constants) const {
    const std::array<ArrayRef, sizeof...(Arrays)> arguments{ArrayRef(constants)...};
    return prepare_of(arguments);
  }
  /// The same, with the constants in a list.
  Function prepare_of(std::span<const ArrayRef> constants) const;

  const std::string& name() const { return program().name; }
  /// The loop form that it was compiled from; to_string(function.program()) prints it.
  const ir::Program& program() const;

 private:
  struct State;
  explicit Function(std::shared_ptr<State> state) : state_(std::move(state)) {}
  State& state() const;

  std::shared_ptr<State> state_;
};

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
/// The same, from a program in loop form.
Function build(const ir::Program& loops, const Target& target, const BuildOptions& options = {});

}  // namespace nestwright

#pragma GCC visibility pop
