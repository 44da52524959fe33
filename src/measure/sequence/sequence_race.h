// race_sequences() races whole sequences of calls, such as networks, as finalists are raced: in several fresh
// processes, interleaved, with the gates of kernels (measure/race/race_finalists.h).
// Thread rule: one thread at a time. Nothing else should load the machine meanwhile. Unit: nanoseconds per run.
#pragma once

#include <span>
#include <vector>

#include "measure/race/race_finalists.h"
#include "measure/race/timing.h"
#include "measure/sequence/sequence.h"

namespace nestwright {

/// A sequence with one alternative of each step. Contenders of one setup share a process.
struct SequenceContender {
  const SequenceSetup* setup = nullptr;  ///< outlives the race
  int data_fd = -1;                      ///< of the setup: what SequenceWorker takes
  std::vector<std::int64_t> choice;
};

/// Returns the timing of each, in order; one that failed has no samples. Throws Error if a process does not start.
std::vector<Timing> race_sequences(std::span<const SequenceContender> contenders, const TimingOptions& timing,
                                   const RaceLimits& limits);

}  // namespace nestwright
