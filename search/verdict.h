// What a final race concludes. A stored best keeps its place unless another entry is clearly faster; among entries that
// cannot be told apart the steadiest wins. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/record.h"

namespace nestwright {

struct Verdict {
  std::optional<int> winner;  ///< index of the entry; nullopt where none is right, or the machine was disturbed
  std::vector<bool> tied;     ///< by entry: not told apart from the winner
  /// Why nothing is concluded: what disturbed the stored best, or one that seems to be faster than all undisturbed
  /// ones.
  std::string disturbance;
};

/// Requires the timings of one race (measure/race.h). Entries of any outcome; the stored best has the role "incumbent".
Verdict judge(const std::vector<RaceEntry>& entries);

/// The fastest sound entry but for the winner.
std::optional<std::size_t> runner_up(const std::vector<RaceEntry>& entries, int winner);
std::optional<std::size_t> with_role(const std::vector<RaceEntry>& entries, std::string_view role);
std::optional<std::size_t> with_trial(const std::vector<RaceEntry>& entries, TrialId trial);

/// Whether an entry that was faster in the race is faster in each of the fresh processes, too: two copies of one kernel
/// differ for as long as a process lives, by where they lie. Where one of the two was disturbed in some of them:
/// whether its median is below what the other is expected to show. True where they were not timed there.
bool holds_lead(const RaceEntry& winner, const RaceEntry& stored);

}  // namespace nestwright
