// The measured memory bandwidth of a device, the roofline for memory-bound kernels.
// Thread rule: as for Device, and nothing else should use the device meanwhile.
#pragma once

#include "nestwright/device.h"

namespace nestwright {

/// Measures the GB/s read plus written when the driver copies between two allocations, each several times as large as
/// the L2 cache. Takes about a tenth of a second. Throws DeviceError.
double measure_copy_bandwidth(Device& device);

}  // namespace nestwright
