// Replaces the OpenCL devices in a build without OpenCL's headers.
#include "nestwright/device.h"
#include "runtime/opencl/opencl_device.h"

namespace nestwright::opencl {
namespace {

[[noreturn]] void refuse() {
  throw DeviceError(
      "this build has no OpenCL: install the OpenCL headers (Debian: opencl-c-headers) and configure it with "
      "NESTWRIGHT_WITH_OPENCL=ON");
}

}  // namespace

std::vector<DeviceInfo> list_devices() { refuse(); }
std::unique_ptr<Device> make_device(int) { refuse(); }

}  // namespace nestwright::opencl
