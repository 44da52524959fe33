// What a runner's process has of the tensors (measure/tensor_file.h), and how it judges a result by them.
// Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "measure/elements.h"
#include "measure/measurement.h"
#include "measure/protocol.h"

namespace nestwright {

/// Doubles of the file, mapped for the life of the process. Throws Error.
std::span<const double> map_doubles(std::int64_t elements, std::int64_t offset);

/// What a call of a check computes from: whole numbers, numbers in [-1, 1], numbers of large and small magnitudes.
enum class InputSet : std::uint8_t { kWhole, kUniform, kWide };
inline constexpr std::size_t kInputSets = 3;
inline constexpr std::size_t index_of(InputSet set) { return static_cast<std::size_t>(set); }

/// Whether the task has that set.
bool has_set(const TensorLayout& layout, InputSet set);
/// Offset of the values of an input for the placement at the end, of the uniform set where the task does not have
/// `set`.
std::int64_t values_at_end(const TensorLayout& layout, InputSet set);

/// What is expected of an output, and how far off it may be.
struct ExpectedOutput {
  std::span<const double> expected, bound;  ///< no bounds: of whole numbers, which have to be exact
  bool is_wide = false;                     ///< of large and small magnitudes
};
/// Of the uniform set where the task does not have `set`. Throws Error.
ExpectedOutput map_expected(const TensorLayout& layout, InputSet set);

/// What a comparison says is wrong with the output that is parameter number `parameter`, or nothing; `found`: the
/// element at first_wrong. Adds to the evidence.
std::string judge(std::size_t parameter, const Comparison& comparison, double found, const ExpectedOutput& reference,
                  Evidence& evidence);
/// What is wrong with `result`, the output that is parameter number `parameter`, or nothing. Adds to the evidence.
std::string judge(std::size_t parameter, ir::Type type, const void* result, const ExpectedOutput& reference,
                  Evidence& evidence);

inline RunnerReply failure(Outcome outcome, std::string message, const Evidence& evidence = {}) {
  RunnerReply reply;
  reply.outcome = outcome;
  reply.message = std::move(message);
  reply.evidence = evidence;
  return reply;
}

}  // namespace nestwright
