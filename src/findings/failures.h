// Groups the failed trials of a task by their causes.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/listing/log_reader.h"

namespace nestwright {

/// Failed trials with one outcome whose messages differ in numbers only.
struct FailureCause {
  Outcome outcome = Outcome::kCrash;
  std::string message;  ///< of the example
  std::int64_t trials = 0;
  std::size_t example = 0;  ///< the last of them, an index of the trials
};

/// The message with each number replaced by N: "C[0, 12] is 1.5e-3, not -2" -> "C[N, N] is N, not N". Digits that
/// follow a letter, as in float32, stay.
std::string message_class(std::string_view message);

/// The causes of all failed trials, or of those of one session (0: all); the most frequent first.
std::vector<FailureCause> failure_causes(const TrialColumns& trials, SessionId session = 0);

}  // namespace nestwright
