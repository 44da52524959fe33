// Counts how many points of a task reached each stage, from its space to its races.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "logs/listing/log_reader.h"
#include "logs/listing/sessions.h"
#include "nestwright/lookup.h"

namespace nestwright {

/// Each stage has some of the points of the one before, except that proposals need not have been sampled or ranked:
/// starting points and what strategies breed are not.
struct FunnelStages {
  std::optional<PointCount> valid;             ///< points of the templates that were searched; absent: not known
  std::optional<ConsideredPoints> considered;  ///< absent: not recorded
  std::int64_t proposed = 0;
  std::int64_t tried = 0;      ///< with a trial
  std::int64_t built = 0;      ///< compiled
  std::int64_t right = 0;      ///< ran, and no result was wrong
  std::int64_t timed = 0;      ///< of those, with a time; of some the search ended the timing early
  std::int64_t confirmed = 0;  ///< checked and timed to the end, on a quiet machine
  std::int64_t raced = 0;      ///< in a final race
  std::int64_t same_code = 0;  ///< of those timed, with the measurement of another trial of the same machine code
};

struct Funnel {
  FunnelStages task;  ///< of all sessions
  struct OfSession {
    SessionId session = 0;
    FunnelStages stages;
  };
  std::vector<OfSession> sessions;  ///< in order
};

/// `spaces` say how many points the templates of `context` have; those that are missing, and those that are left within
/// the restriction of a session, are counted, which takes some 50 ms where a space is large. A trial counts for the
/// session that measured it, a proposal for the one that proposed it.
Funnel funnel_of(const TaskContext& context, std::span<const SpaceRecord> spaces,
                 std::span<const ListedSession> sessions, std::span<const SessionProposals> proposals,
                 std::span<const RecordedRace> races, const TrialColumns& trials);

}  // namespace nestwright
