// What a device's compiler tells of a candidate, as columns behind its other features: the only ones that are not known
// before it is compiled. Thread rule: pure functions.
#pragma once

#include "cost_model/features.h"

namespace nestwright {

/// Of the kernel that does the work.
struct DeviceNeeds {
  double registers = 0;     ///< a thread
  double spill_bytes = 0;   ///< a thread
  double shared_bytes = 0;  ///< a block
  double occupancy = 0;     ///< resident warps of the most
  friend bool operator==(const DeviceNeeds&, const DeviceNeeds&) = default;
};

/// The columns of one that is not compiled: NaN.
void append_unknown_needs(Features& features);
/// The same features with the needs in their last columns. Requires append_unknown_needs to have made these.
Features with_needs(Features features, const DeviceNeeds& needs);
/// Their names, in order, for people.
std::vector<std::string> device_needs_names();

}  // namespace nestwright
