// Devices behind OpenCL 1.2, through the ICD loader. Private to runtime/.
// Thread rule: as for Device.
#pragma once

#include <memory>
#include <vector>

#include "nestwright/device.h"

namespace nestwright::opencl {

/// Lists the devices of all platforms: GPUs, then accelerators, then CPUs. Throws DeviceError if the loader is missing,
/// no platform is installed or this build does not have OpenCL.
std::vector<DeviceInfo> list_devices();
/// Opens a device. Throws DeviceError as above and if there is no device of that number.
std::unique_ptr<Device> make_device(int index);

}  // namespace nestwright::opencl
