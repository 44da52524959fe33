// time_alternatives() times the alternatives of the steps of a running sequence, of all steps at once: each run takes a
// random alternative of each group, so that the alternatives of one are compared under those of the others, as in a
// factorial experiment.
//
// Runs come in blocks, in each of which every alternative of each group occurs, in random order: their times in a block
// are paired, whatever the machine's clock does between blocks. What an alternative costs the step after it, whose data
// it may evict, counts: the time of that step beyond what its own alternative usually takes.
// Thread rule: one thread at a time. Nothing else should load the machine meanwhile. Unit: nanoseconds per run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/sequence/sequence_worker.h"

namespace nestwright {

/// The steps that take the same alternative: those of equal kernels.
using StepGroup = std::vector<std::size_t>;

/// By group and alternative: its time in each block, in the same order for all alternatives of a group.
using AlternativeTimes = std::vector<std::vector<std::vector<double>>>;

struct AlternativesResult {
  AlternativeTimes times;
  std::vector<double> step_ns;  ///< of each step, the median over all runs
  int blocks = 0;               ///< that were undisturbed and count
  int disturbed = 0;            ///< that were left out
};

/// Takes at least two blocks and `blocks` at most, disturbed ones, which are left out, among them; ends once `is_over`
/// returns true, which may be empty. If all blocks were disturbed, all count. A group of one alternative has no times.
/// If a kernel fails, the result has no blocks, and the worker's failure() says why. Throws Error.
AlternativesResult time_alternatives(SequenceWorker& worker, const std::vector<StepGroup>& groups, int blocks,
                                     const std::function<bool()>& is_over = {});

}  // namespace nestwright
