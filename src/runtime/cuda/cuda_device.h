// Devices behind the CUDA driver. Private to runtime/.
// Thread rule: as for Device.
#pragma once

#include <memory>
#include <vector>

#include "nestwright/device.h"

namespace nestwright::cuda {

/// Lists the devices that we can generate code for. Throws DeviceError if the driver is missing or finds no device.
std::vector<DeviceInfo> list_devices();
/// Opens a device. Throws DeviceError as above and if there is no device of that number.
std::unique_ptr<Device> make_device(int index);

}  // namespace nestwright::cuda
