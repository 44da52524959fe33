// A runner process's access to the tensors (measure/run/tensor_file.h), and the comparison of results with them.
// Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "measure/check/elements.h"
#include "measure/check/large_data.h"
#include "measure/check/large_output.h"
#include "measure/process/guarded_region.h"
#include "measure/process/protocol.h"
#include "nestwright/measurement.h"

namespace nestwright {

/// Maps doubles of the file for the lifetime of the process. Throws Error.
std::span<const double> map_doubles(std::int64_t elements, std::int64_t offset);

/// Whether the task has that set.
bool has_set(const TensorLayout& layout, InputSet set);
/// Returns the offset of an input's values for the placement at the end; those of the uniform set if the task does not
/// have `set`. -1 if the file lacks these.
std::int64_t values_at_end(const TensorLayout& layout, InputSet set);

/// The values of an input, wherever the file has them. The region must outlive `values`.
struct MappedInput {
  GuardedRegion region;
  std::span<const std::byte> values;
};
/// Maps them; those of the uniform set if the task does not have `set`. Throws Error.
MappedInput map_input(const TensorLayout& layout, InputSet set);

/// The expected values of an output and their error bounds.
struct ExpectedOutput {
  std::span<const double> expected, bound;  ///< no bounds: zeros
  InputSet set = InputSet::kUniform;        ///< that it is expected of
  std::optional<LargeExpectation> large;    ///< takes the place of the expected values of all elements
};
/// Maps what is expected of an output; of the uniform set if the task does not have `set`. Throws Error.
ExpectedOutput map_expected(const TensorLayout& layout, InputSet set);

/// Returns what `comparison` shows to be wrong with the output that is parameter number `parameter`; empty if nothing
/// is. `found` is the element at first_wrong. Adds to the evidence.
std::string explain_mismatch(std::size_t parameter, const Comparison& comparison, double found,
                             const ExpectedOutput& reference, Evidence& evidence);
/// Compares `result`, the output that is parameter number `parameter`, and returns what is wrong with it; empty if
/// nothing is. Adds to the evidence. Shares the work on a large output by `run`.
std::string explain_mismatch(std::size_t parameter, ir::Type type, const void* result, const ExpectedOutput& reference,
                             Evidence& evidence, const RunParts& run = run_in_turn);

/// Returns a reply with an outcome that is not ok.
inline RunnerReply failure(Outcome outcome, std::string message, const Evidence& evidence = {}) {
  RunnerReply reply;
  reply.outcome = outcome;
  reply.message = std::move(message);
  reply.evidence = evidence;
  return reply;
}

}  // namespace nestwright
