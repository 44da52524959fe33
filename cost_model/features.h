// Numeric features of a candidate for a cost model, computed from its program in loop form and its knobs, without
// compiling it. The features of the program follow Ansor's per-store features (auto_scheduler/feature.cc), reduced to
// those that help a model of one operator on one machine: work, loop structure, and the memory traffic that the loop
// nest causes for three cache sizes. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright {

/// One row of features. NaN means that a feature does not apply. All rows of one task have the same length.
using Features = std::vector<float>;

/// The cache sizes, in bytes, that the traffic features assume.
struct CacheCapacities {
  std::int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20;
};

/// The number of features that program_features appends.
std::size_t program_feature_count();
/// Appends the features of a program. Requires loop form with constant extents.
void program_features(const ir::Program& program, const CacheCapacities& caches, Features& out);
/// The names of the features, in order, for people to read.
std::vector<std::string> program_feature_names();

/// What a program executes and moves, counted by its loops.
struct ProgramCounts {
  double flops = 0;
  double l2_bytes = 0;  ///< whole cache lines that move into a cache of l2_bytes, each access by itself
};
/// Requires loop form with constant extents.
ProgramCounts program_counts(const ir::Program& program, const CacheCapacities& caches = {});

}  // namespace nestwright
