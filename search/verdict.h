// What a final race concludes. A stored best keeps its place unless another entry is clearly faster; among entries that
// cannot be told apart the fastest wins, unless another one's slow samples are shorter by a tenth. Pure.
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

std::optional<std::size_t> with_role(const std::vector<RaceEntry>& entries, std::string_view role);

}  // namespace nestwright
