// The request that the parent sends to a contestant's process, as one message.
// Thread rule: values and pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/comparison/results/conditions.h"
#include "measure/process/protocol.h"

namespace nestwright::bench {

/// Descriptors of a contestant: its channel and the file of tensors (measure/run/tensor_file.h).
inline constexpr int kContestantChannelFd = 3, kContestantTensorsFd = 4;

struct ContestRequest {
  std::string workload;
  int threads = 1;
  Weights weights = Weights::kPlain;
  Pages pages = Pages::kSmall;
  Caches caches = Caches::kWarm;
  std::string database;               ///< for our own kernel
  std::string template_name;          ///< likewise; empty: the best of all
  std::vector<TensorLayout> tensors;  ///< their places in the file
};
std::string encode(const ContestRequest& request);
/// Throws UsageError for a malformed message.
ContestRequest decode_contest_request(std::string_view message);

/// A contestant's first answer. Its text says what runs, or why nothing does.
enum class Readiness : std::uint8_t { kReady, kCannotDo, kRefused };

}  // namespace nestwright::bench
