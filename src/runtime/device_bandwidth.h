// What a device's memory can do at best, measured: the yardstick of memory-bound kernels.
// Thread rule: as for the device, and nothing else should use it meanwhile.
#pragma once

#include "runtime/device.h"

namespace nestwright {

/// GB/s read plus written when the driver copies from one memory to another, both several times as large as the L2
/// cache. Takes about a tenth of a second. Throws DeviceError.
double measure_copy_bandwidth(Device& device);

}  // namespace nestwright
