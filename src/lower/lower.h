// The two stages of lowering. Stage one: a schedule becomes a program in loop form, small and quick to make, which the
// features, the constraints and the verifier read. Stage two, for candidates that are compiled: the vector form, with
// explicit vectors, unrolled register tiles at constant offsets, masks and planned storage.
//
// lower/passes.cpp has the table of the passes of both; one file a pass under lower/passes/.
// Thread rule: both are pure functions; any number of threads may call them at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/program.h"
#include "lower/argument.h"
#include "schedule/schedule.h"
#include "support/error.h"
#include "target/target.h"

namespace nestwright {

/// Watches the passes: --print-after, timing, tests.
struct LowerOptions {
  /// Called after each pass with its name, the program and the nanoseconds that it took.
  std::function<void(std::string_view pass, const ir::Program&, std::int64_t ns)> after_pass;
  /// Verify after each pass and throw InternalError for a violation, or UnprovedError. Always on in debug builds.
  bool verify = false;
};

/// What is computed is not shown to be sound, however it is scheduled: an index read from a tensor, say.
class UnprovedError : public LowerError {
 public:
  using LowerError::LowerError;
};

/// `args`: the tensors of the signature, inputs first. Symbols are those of the arguments' shapes and strides, in
/// order, then those of the bodies. Throws LowerError where the target cannot run the schedule and for arguments that
/// are not those of the schedule.
ir::Program lower(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
                  const LowerOptions& options = {});

/// Loop form to vector form. Throws LowerError (a register buffer whose indices are not constant, a vectorised loop
/// that is too long, ...).
ir::Program expand(const ir::Program& program, const Target& target, const LowerOptions& options = {});

/// Names of the passes of both stages, in the order in which they run.
std::vector<std::string> pass_names();

}  // namespace nestwright
