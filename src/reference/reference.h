// Computes reference results of a tensor expression that has no reference of its own: the expression is rebuilt in
// double precision with bounds of its errors (double_program.h), compiled for runs of elements (run_program.h), and run
// as far as the time allows (evaluation.h). Before the results are used, samples of each tensor are compared with the
// interpreter of the IR (sample_check.h).
// Thread rule: pure functions; one call uses all cores. Units: seconds.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/template.h"
#include "reference/error_bounded_expr.h"

namespace nestwright {

struct ReferenceOptions {
  Rounding rounding = Rounding::kWritten;
  Parts parts = Parts::kValuesAndBounds;
  /// The time of the program in double. At least 16 elements of each output are computed, however long that takes.
  double seconds = 5;
  /// The number of terms that the interpreter computes, for all tensors together; but those of `least_samples` elements
  /// of each tensor (or of all, if it has fewer) in any case, and of 1,024 at most.
  std::int64_t interpreted_terms = 1'000'000;
  std::int64_t least_samples = 16;
  /// Whether a result that is infinite or has no bound is refused, and not only many of them.
  bool refuses_infinite = false;
  /// The directory in which references are kept (kept_reference.h), and their name: the canonical text with its sizes.
  /// Without a directory they are neither kept nor looked up.
  std::string kept_in = {}, subject = {};
};

/// Returns the results and bounds for `inputs`, which have been rounded to the types of the definition. An element that
/// was not computed has an infinite bound. Throws UsageError if an element of an output is NaN or too large for its
/// type, if one of another tensor is too large for its type and outputs are wrong for that, if most elements or bounds
/// are infinite, or if the expression has no bounds (double_program.h); InternalError if the compiled program and the
/// interpreter disagree. Requires compact tensors of constant shapes.
Reference compute_reference(const Definition& definition, const HostTensors& inputs,
                            const ReferenceOptions& options = {});

}  // namespace nestwright
