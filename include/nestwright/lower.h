// Lowers a schedule to a program, in two stages. lower() makes the loop form, which is small and quick to make; the
// cost model's features, the constraints and the verifier read it. expand() makes the vector form of a candidate that
// is to be compiled: explicit vectors and masks, unrolled register tiles at constant offsets, planned storage.
//
//   schedule  -- lower() -->  for i in 0..8: vectorized j in 0..16: C[i, j] = A[i, j] + 1
//             -- expand() ->  for i in 0..8: C[i, ramp(0, 1)] = A[i, ramp(0, 1)] + 1
//
// The arguments of lower() and build() are the tensors of a kernel's signature, inputs first:
//
//   {A, B, C}                              all three as declared
//   {A, B, strided(C, {var("ldc"), 1})}    rows of C ldc elements apart
//
// Thread rule: pure functions; any number of threads at once. Units: strides are in elements, times in nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// One tensor that the caller passes, and its layout in memory.
struct Arg {
  Arg(Tensor t) : tensor(std::move(t)) {}  // NOLINT(google-explicit-constructor): most are stored as they are declared

  Tensor tensor;
  std::vector<Expr> strides;  ///< of an output, in elements; empty: those that it was declared with
};

/// An output with the given strides, one per dimension: constants, or symbols such as var("ldc"). Throws UsageError if
/// their number is not the output's rank. The strides of an input are an argument of placeholder().
Arg strided(Tensor output, std::vector<Expr> strides);

/// A list of arguments; tensors convert to it.
class Args {
 public:
  Args(std::initializer_list<Arg> args) : args_(args) {}
  Args(std::vector<Arg> args) : args_(std::move(args)) {}  // NOLINT(google-explicit-constructor)
  Args(const std::vector<Tensor>& tensors)                 // NOLINT(google-explicit-constructor)
      : args_(tensors.begin(), tensors.end()) {}

  std::vector<Arg>::const_iterator begin() const { return args_.begin(); }
  std::vector<Arg>::const_iterator end() const { return args_.end(); }

 private:
  std::vector<Arg> args_;
};

/// Observation of the passes, for --print-after, timing and tests.
struct LowerOptions {
  /// Called after each pass with its name, its result and the nanoseconds that it took; may be empty.
  std::function<void(std::string_view pass, const ir::Program&, std::int64_t ns)> after_pass;
  /// Verify the program after each pass that leaves it complete; a violation is an InternalError or an UnprovedError.
  /// Always on in debug builds.
  bool verify = false;
};

/// A program cannot be proved sound: its expression under any schedule, as it uses an index that is read from a tensor,
/// say, or this schedule, whose concurrent loops, which the message names, are not proved to access different elements.
class UnprovedError : public LowerError {
 public:
  using LowerError::LowerError;
};

/// The loop form of the schedule. `args` are the tensors of the signature, inputs first. The program's symbols are
/// those of the arguments' shapes and strides, in order, then those of the bodies. Throws LowerError if the target
/// cannot run the schedule or the arguments are not those of the schedule.
ir::Program lower(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
                  const LowerOptions& options = {});

/// The vector form of a program in loop form. Throws LowerError if it has none: a register buffer whose indices are not
/// constant, a vectorised loop that is too long, ...; UsageError if it is in vector form already.
ir::Program expand(const ir::Program& program, const Target& target, const LowerOptions& options = {});

/// The names of the passes of both stages, in the order in which they run.
std::vector<std::string> pass_names();

}  // namespace nestwright

#pragma GCC visibility pop
