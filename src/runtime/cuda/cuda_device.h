// Devices behind the CUDA driver. Private to runtime/. Thread rule: as for Device.
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"

namespace nestwright::cuda {

/// Those that we can generate code for. Throws DeviceError where the driver is missing or finds no device.
std::vector<DeviceInfo> list_devices();
/// Throws DeviceError as above and where there is no device of that number.
std::unique_ptr<Device> make_device(int index);

}  // namespace nestwright::cuda
