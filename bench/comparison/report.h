// What is printed around the tables: where results come from, and one comparison as it comes.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison/comparison.h"
#include "bench/comparison/results_file.h"

namespace nestwright::bench {

/// Processor, target, system, commit, conditions; `absent`: libraries that are not compared because they are not there.
std::string heading_text(const Provenance& provenance, const std::vector<std::string>& absent);

/// What binds, then each contestant with its speed, the ratio and its interval, and what of it ran.
std::string to_text(const Comparison& comparison);

}  // namespace nestwright::bench
