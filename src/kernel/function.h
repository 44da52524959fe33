// A kernel as users call it: build() (kernel/build.h) makes one.
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);   // Arrays, or ArrayViews of memory that somebody else owns
//
// One whose schedule prepares something is called in two steps, the first of them once for each set of constants:
//
//   Function layer = matrix_mul.prepare(weights);
//   layer(a, c);
//
// One built for a GPU takes and gives host memory all the same: each call copies its arguments to the device, runs
// there and copies the outputs back.
//
// Thread rule: a handle; copies are the same function. One call at a time, copies and what was prepared included: the
// workspace and the threads that a call uses are the function's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ir/core/program.h"
#include "kernel/call_signature.h"
#include "runtime/array_view.h"

namespace nestwright {

class Function {
 public:
  /// Runs a program on one pointer a parameter and one value a symbol, in order; returns when it is done.
  using Entry = std::function<void(std::span<void* const> buffers, std::span<const std::int64_t> symbols)>;

  /// Of a program in loop form, its signature and what it was compiled to; `preparation` is empty where it has none.
  Function(ir::Program program, CallSignature signature, Entry entry, Entry preparation = {});

  /// Runs it on one Array or ArrayView a tensor of the signature, in order; const ones are for inputs alone. Throws
  /// UsageError, before anything is run, for an argument that does not fit: the message names it, what was expected and
  /// what came. Results are in place when it returns.
  template <class... Arrays>
  void operator()(Arrays&&... arrays) const {
    const std::array<ArrayRef, sizeof...(Arrays)> arguments{ArrayRef(arrays)...};
    call(arguments);
  }
  /// The same with arguments in a list.
  void call(std::span<const ArrayRef> arguments) const;

  /// The function that calls without its constants, for these: what it makes of them is kept in memory of its own, so
  /// that they need not live on. Throws UsageError where nothing is prepared, and as a call does.
  template <class... Arrays>
  Function prepare(Arrays&&... constants) const {
    const std::array<ArrayRef, sizeof...(Arrays)> arguments{ArrayRef(constants)...};
    return prepare_of(arguments);
  }
  /// The same with constants in a list.
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

}  // namespace nestwright
