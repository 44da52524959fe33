// One workload from start to end: tuned, then timed beside the libraries.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

#include "bench/comparison/comparison.h"
#include "bench/comparison/field.h"
#include "bench/comparison/options.h"
#include "templates/framework/workload.h"

namespace nestwright::bench {

Case make_case(const std::string& label, const Workload& workload, int threads, Weights weights);

/// Throws Error where tuning fails or a contestant dies in the middle; one that does not start is refused in the
/// result.
Comparison compare_case(const Case& subject, const Options& options, const Field& field, const std::string& folder);

}  // namespace nestwright::bench
