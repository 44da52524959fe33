// What a runner's process has of the tensors (measure/tensor_file.h), and how it judges a result by them.
// Private to measure/. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "measure/measurement.h"
#include "measure/protocol.h"

namespace nestwright {

/// Doubles of the file, mapped for the life of the process. Throws Error.
std::span<const double> map_doubles(std::int64_t elements, std::int64_t offset);

/// What is expected of an output, and how far off it may be.
struct Reference {
  std::span<const double> expected, bound;  ///< no bounds: of whole numbers, which have to be exact
};
Reference map_reference(const TensorLayout& layout);
/// What is expected of whole numbers, or the reference where the task has none.
Reference map_whole_reference(const TensorLayout& layout);

/// What is wrong with `result`, the output that is parameter number `parameter`, or nothing. Adds to the evidence.
std::string judge(std::size_t parameter, ir::Type type, const void* result, const Reference& reference,
                  Evidence& evidence);

inline RunnerReply failure(Outcome outcome, std::string message, const Evidence& evidence = {}) {
  RunnerReply reply;
  reply.outcome = outcome;
  reply.message = std::move(message);
  reply.evidence = evidence;
  return reply;
}

}  // namespace nestwright
