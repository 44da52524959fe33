// The resources that a device's compiler reports for a candidate, as the last columns of its features: the only ones
// that are unknown before it is compiled. Thread rule: pure functions.
#pragma once

#include "cost_model/features.h"

namespace nestwright {

/// Resources of the dominant kernel.
struct DeviceResources {
  double registers = 0;     ///< per thread
  double spill_bytes = 0;   ///< per thread
  double shared_bytes = 0;  ///< per block
  double occupancy = 0;     ///< resident warps, as a share of the maximum
  friend bool operator==(const DeviceResources&, const DeviceResources&) = default;
};

/// Appends the columns of a candidate that is not compiled: NaN.
void append_unknown_resources(Features& features);
/// `features` with the resources in the last columns, which append_unknown_resources must have appended.
Features with_resources(Features features, const DeviceResources& resources);
/// The names of the columns, in order, for people to read.
std::vector<std::string> device_resource_names();

}  // namespace nestwright
