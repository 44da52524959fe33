// Numbers that describe a candidate for a device, beside those of every program (cost_model/features.h): how its blocks
// fill the device, and how its warps reach memory. Ansor has eight, of which five are extents that are there already;
// what coalescing and banks cost is read off addresses here. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost_model/features.h"

namespace nestwright {

/// What a multiprocessor holds at most.
struct DeviceShape {
  int multiprocessors = 1, blocks = 32, warps = 64;
  std::int64_t shared_bytes = 48 << 10;
};

/// Appends as many as there are names. Requires loop form with constant extents. A program without a loop bound to
/// threadIdx has NaN for what asks for threads.
void device_features(const ir::Program& program, const DeviceShape& device, Features& out);
/// Their names, in order, for people.
std::vector<std::string> device_feature_names();

}  // namespace nestwright
