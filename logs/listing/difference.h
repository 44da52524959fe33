// Compares the bests of two databases, task by task.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nestwright/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// The bests of one task in two databases, which differ. Tasks that differ only in the backend or the pipeline count as
/// one, so that compilers can be compared; machines, targets and states of caches are kept apart.
struct BestDifference {
  std::optional<BestRecord> first, second;  ///< one may be absent
  /// By which the second one takes longer: second / first. 0 if one is absent.
  double ratio = 0;
  /// Whether the intervals of the two times do not overlap.
  bool is_beyond_intervals = false;
};

struct DatabaseDifference {
  /// First those beyond the intervals, then the others, each by how much they differ, then what only one database has.
  std::vector<BestDifference> differences;
  std::int64_t unchanged = 0;  ///< tasks whose bests are the same record
};

DatabaseDifference compare_bests(const TuningLog& first, const TuningLog& second, const TaskFilter& filter);

}  // namespace nestwright
