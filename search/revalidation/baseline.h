// Reads the figures that `nestwright revalidate --json` wrote before, to compare stored bests with.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/revalidation/compare_times.h"
#include "search/revalidation/stored_bests.h"

namespace nestwright {

/// What the document has as "format". Another number: it means something else.
inline constexpr const char* kRevalidationFormat = "nestwright revalidation 1";

/// What a user does about a file that is no baseline.
inline constexpr const char* kBaselineAdvice = "write one with nestwright revalidate --all --json > FILE";

/// A task of a baseline.
struct BaselineTask {
  std::string workload, target, caches, machine;
  std::optional<KernelFigure> figure;  ///< absent: no time of it was decided
};

/// Parses the document of `revalidate --json`. The figure of a task is its time `now` if that was decided, else what it
/// `was` if that was comparable. `file` is what messages call it. Throws UsageError that says what is wrong with it.
std::vector<BaselineTask> parse_baseline(const std::string& text, const std::string& file);
/// Makes the baseline what the bests are compared with, in the place of their stored times: the entry of this machine
/// or, if there is none, of another one, which is then said not to be comparable. Returns the tasks that only
/// the baseline has.
std::vector<BaselineTask> apply_baseline(const std::vector<BaselineTask>& baseline, std::vector<StoredBest>& bests);

}  // namespace nestwright
