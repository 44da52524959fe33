// A kernel as users call it: build() (kernel/build.h) makes one.
//
//   Function matrix_mul = build(schedule, {A, B, C}, Target::host(), "matrix_mul");
//   matrix_mul(a, b, c);   // Arrays, or ArrayViews of memory that somebody else owns
//
// Thread rule: a handle; copies are the same function. One call at a time, copies included: the workspace and the
// threads that a call uses are the function's.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "ir/program.h"
#include "kernel/call_signature.h"
#include "runtime/array_view.h"
#include "runtime/kernel.h"

namespace nestwright {

class Function {
 public:
  /// Of a program in loop form, its signature and what it was compiled to.
  Function(ir::Program program, CallSignature signature, CompiledKernel kernel);

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

  const std::string& name() const { return program().name; }
  /// The loop form that it was compiled from; to_string(function.program()) prints it.
  const ir::Program& program() const;

 private:
  struct State;
  State& state() const;

  std::shared_ptr<State> state_;
};

}  // namespace nestwright
