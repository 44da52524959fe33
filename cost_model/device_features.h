// Features of a GPU candidate, in addition to those of every program (cost_model/features.h): how its blocks fill the
// device, and how its warps access memory. Ansor has eight such features, five of which are extents that features.h
// covers; the costs of coalescing and bank conflicts are computed from addresses here. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost_model/features.h"

namespace nestwright {

/// The number of multiprocessors, and what one of them can hold at a time.
struct DeviceShape {
  int multiprocessors = 1, blocks = 32, warps = 64;
  std::int64_t shared_bytes = 48 << 10;
};

/// Appends one value for each of device_feature_names(). Requires loop form with constant extents. Features of threads
/// are NaN for a program without a loop bound to threadIdx.
void device_features(const ir::Program& program, const DeviceShape& device, Features& out);
/// The names of the features, in order, for people to read.
std::vector<std::string> device_feature_names();

}  // namespace nestwright
