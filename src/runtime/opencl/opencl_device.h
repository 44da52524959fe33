// Devices behind OpenCL 1.2, through the ICD loader. Private to runtime/. Thread rule: as for Device.
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"

namespace nestwright::opencl {

/// Of all platforms: GPUs, then accelerators, then CPUs. Throws DeviceError where the loader is missing, no platform is
/// installed or this build has no OpenCL.
std::vector<DeviceInfo> list_devices();
/// Throws DeviceError as above and where there is no device of that number.
std::unique_ptr<Device> make_device(int index);

}  // namespace nestwright::opencl
