// Reads the figures that `nestwright revalidate --json` wrote before, to compare stored bests with.
// Thread rule: pure functions, except read_baseline().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/revalidation/compare_times.h"
#include "search/revalidation/stored_bests.h"

namespace nestwright::cli {

/// A task of a baseline.
struct BaselineTask {
  std::string workload, target, caches, machine;
  std::optional<KernelFigure> figure;  ///< absent: it was not timed, and nothing was stored, either
};

/// Parses the document of `revalidate --json`. The figure of a task is its time `now` if that was decided, else what it
/// `was`. `file` is what messages call it. Throws UsageError that says what is wrong with it.
std::vector<BaselineTask> parse_baseline(const std::string& text, const std::string& file);
/// The same of a file.
std::vector<BaselineTask> read_baseline(const std::string& file);

/// Makes the baseline what the bests are compared with, in the place of their stored times. Returns the tasks that only
/// the baseline has.
std::vector<BaselineTask> apply_baseline(const std::vector<BaselineTask>& baseline, std::vector<StoredBest>& bests);

}  // namespace nestwright::cli
