// The configurations that compete inside a network: kernel_candidates().
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "nestwright/database.h"
#include "network/candidates.h"

namespace nestwright {

/// Adds up to two configurations to each of the most expensive tasks, `most` in all: the fastest of another template,
/// which loads the caches differently, and runners-up of the best. `calls` is how often each task occurs. Tasks that
/// were not tuned here get none, nor do those that take less than a two-hundredth of the time of all.
void add_kernel_candidates(std::vector<TaskCandidates>& tasks, const std::vector<std::size_t>& calls,
                           const TuningLog& log, std::size_t most);

}  // namespace nestwright
