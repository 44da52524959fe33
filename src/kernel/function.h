// A callable kernel, made by build() (kernel/build.h).
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);   // Arrays, or ArrayViews of memory that somebody else owns
//
// If its schedule prepares constants, it is called in two steps, the first of them once per set of constants:
//
//   Function layer = matrix_mul.prepare(weights);
//   layer(a, c);
//
// A function for a GPU takes host memory as well: each call copies its inputs to the device, runs there and copies the
// outputs back.
//
// Thread rule: a handle; copies denote the same function. One call at a time, across all copies and prepared functions,
// because they share a workspace and threads.
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

}  // namespace nestwright
