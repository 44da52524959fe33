// Runs a chunk, a few candidates that are timed together against the session's incumbent. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

struct ChunkResult {
  /// One for each candidate, also for those that failed to build; nullopt for those that were skipped.
  std::vector<std::optional<Measurement>> measurements;
  /// Where there was no incumbent, the candidate that the others were scored against. Its median is its reference time.
  std::optional<std::size_t> reference;
  /// The candidate that was confirmed to be faster than the incumbent. Likewise.
  std::optional<std::size_t> successor;
  /// The incumbent was timed by its part: `successor` only seems to be faster (part_trials.h), and is not adopted.
  bool by_part = false;

  bool is_successor(std::size_t candidate) const { return successor == candidate; }
};

/// Checks and times the candidates that were built, except those for which `skips` (may be empty) is true. Timing ends
/// early once `is_over` (may be empty) is true. An incumbent that fails is replaced by the anchor. Where the reference
/// time was disturbed, all scores are marked as disturbed, until undisturbed readings of a rough incumbent replace it.
/// Where candidates seem to exceed the machine's highest rates, the rates are measured again, and the chunk is run once
/// more if they were too low.
ChunkResult run_chunk(SessionTrials& trials, Tools& tools, std::span<const BuiltPoint> built,
                      const std::function<bool(std::size_t)>& skips = {}, const std::function<bool()>& is_over = {});

/// The same for one whole kernel that seemed to be faster than the incumbent when their parts were timed: few pairs
/// decide (Runner::confirm). Requires an incumbent.
ChunkResult run_confirmation(SessionTrials& trials, Tools& tools, const BuiltPoint& built,
                             const std::function<bool()>& is_over = {});

/// Updates the anchor and the incumbent from the result of a chunk whose trials are recorded, and stores them in
/// the log, unless they are rough. Returns the speed of the new incumbent relative to the old one; nullopt where the
/// incumbent stays.
std::optional<double> update_references(SessionTrials& trials, const Tools& tools, const ChunkResult& chunk,
                                        std::span<const Point> points, std::span<const BuiltPoint> built,
                                        std::span<const TrialId> recorded);

}  // namespace nestwright
