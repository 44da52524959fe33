// Finds the OpenCL devices of all platforms. Private to runtime/opencl.
// Thread rule: any thread.
#pragma once

#include <vector>

#include "nestwright/device.h"
#include "runtime/opencl/library.h"

namespace nestwright::opencl {

/// A device with its OpenCL handles.
struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceInfo info;
};

/// Returns the devices in the order of their indices. Throws DeviceError if there are none.
std::vector<FoundDevice> find_devices();

/// Returns a numeric property of a device. Throws DeviceError.
template <class T>
T number_of(cl_device_id device, cl_device_info what) {
  T value{};
  require(library().get_device_info(device, what, sizeof value, &value, nullptr), "ask for a device's properties");
  return value;
}

}  // namespace nestwright::opencl
