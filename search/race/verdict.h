// Concludes a final race. A stored best keeps its place unless another entry is significantly faster. Among entries
// that do not differ significantly the fastest wins, unless the slow samples of another one are shorter by a tenth.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/records.h"

namespace nestwright {

struct Verdict {
  /// Index of the entry; nullopt where no entry is correct and timed. If the machine was disturbed, the one that seems
  /// fastest, which replaces nothing.
  std::optional<int> winner;
  std::vector<bool> tied;  ///< for each entry: it does not differ significantly from the winner
  /// Why the winner replaces nothing: what disturbed the stored best, or an entry that seems faster than all
  /// undisturbed ones. Empty otherwise.
  std::string disturbance;
};

/// Requires entries timed in one race (measure/race/race.h), of any outcome. The stored best has the role "incumbent".
Verdict conclude_race(const std::vector<RaceEntry>& entries);

/// Index of the first entry with the role.
std::optional<std::size_t> with_role(const std::vector<RaceEntry>& entries, std::string_view role);

}  // namespace nestwright
