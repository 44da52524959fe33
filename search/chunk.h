// Candidates that are run together, against the session's incumbent. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/session_state.h"

namespace nestwright {

/// One of a chunk's candidates and the reference time that it has.
struct ChunkSuccessor {
  std::size_t candidate = 0;
  double reference_ns = 0;
};

struct ChunkResult {
  /// One a candidate, those that were not built included; nullopt for those that were skipped.
  std::vector<std::optional<Measurement>> measurements;
  /// What the others were held against, as there was no incumbent.
  std::optional<ChunkSuccessor> reference;
  /// Confirmed to be faster than the incumbent.
  std::optional<ChunkSuccessor> successor;
};

/// Checks and times those that were built. `skips(i)`, which may be empty, says which are not to be run. An incumbent
/// that fails gives way to the anchor. What was held against a disturbed reference is disturbed. `is_over`, which may
/// be empty, ends the timing. Where candidates seem to be faster than the machine, its rates are measured again, and if
/// these were too low all is run once more. Times are added to the result's stages.
ChunkResult run_chunk(SessionState& session, std::span<const BuiltPoint> built,
                      const std::function<bool(std::size_t)>& skips = {}, const std::function<bool()>& is_over = {});

/// Makes the session's anchor and incumbent of what a chunk found, once its trials are recorded, and notes them in the
/// log. Returns how many times as fast as the old incumbent the new one is; nullopt where the incumbent stays.
std::optional<double> adopt(SessionState& session, const ChunkResult& chunk, std::span<const Point> points,
                            std::span<const BuiltPoint> built, std::span<const TrialId> trials);

}  // namespace nestwright
