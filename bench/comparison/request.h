// What the parent asks a contestant's process for, as one message.
// Thread rule: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/comparison/conditions.h"
#include "measure/protocol.h"

namespace nestwright::bench {

/// Descriptors of a contestant: its channel and the file of tensors (measure/tensor_file.h).
inline constexpr int kContestantChannelFd = 3, kContestantTensorsFd = 4;

struct ContestRequest {
  std::string workload;
  int threads = 1;
  Weights weights = Weights::kPlain;
  Pages pages = Pages::kSmall;
  Caches caches = Caches::kWarm;
  std::string database;               ///< for ours
  std::vector<TensorLayout> tensors;  ///< where the file has them
};
std::string encode(const ContestRequest& request);
/// Throws UsageError for a malformed message.
ContestRequest decode_contest_request(std::string_view message);

/// How a contestant says what came of it; the text says what of the library runs, or why it does not.
enum class Readiness : std::uint8_t { kReady, kCannotDo, kRefused };

}  // namespace nestwright::bench
