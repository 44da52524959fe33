// Lowers a schedule to a program, in two stages. lower() makes the loop form, which is small and quick to make; the
// cost model's features, the constraints and the verifier read it. expand() makes the vector form of a candidate that
// is to be compiled: explicit vectors and masks, unrolled register tiles at constant offsets, planned storage.
//
//   schedule  -- lower() -->  for i in 0..8: vectorized j in 0..16: C[i, j] = A[i, j] + 1
//             -- expand() ->  for i in 0..8: C[i, ramp(0, 1)] = A[i, ramp(0, 1)] + 1
//
// lower/passes.cpp lists the passes of both stages. Thread rule: pure functions; any number of threads at once.
// Units: times are in nanoseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/core/program.h"
#include "lower/lower_options.h"
#include "lower/nest/argument.h"
#include "schedule/schedule.h"
#include "support/base/error.h"
#include "target/description/target.h"

namespace nestwright {

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
