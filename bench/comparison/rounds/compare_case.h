// Compares one workload: tunes it, then times it beside the libraries.
// Thread rule: one thread at a time; nothing else should run on the machine.
#pragma once

#include "bench/comparison/results/comparison.h"
#include "bench/comparison/rounds/options.h"
#include "bench/comparison/timing/field.h"
#include "nestwright/workload.h"

namespace nestwright::bench {

Case make_case(const std::string& label, const Workload& workload, int threads, Weights weights);

/// Throws Error where tuning fails or a contestant dies while it is timed. A contestant that does not start is marked
/// as refused in the result.
Comparison compare_case(const Case& subject, const Options& options, const Field& field, const std::string& folder);

}  // namespace nestwright::bench
