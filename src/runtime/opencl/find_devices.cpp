#include "runtime/opencl/find_devices.h"

#include <algorithm>
#include <optional>

#include "nestwright/device.h"
#include "target/description/gpu_target.h"

namespace nestwright::opencl {
namespace {

template <class Query>
std::string text_of(const Query& query) {
  std::size_t size = 0;
  require(query(0, nullptr, &size), "ask for a property");
  std::string text(size, '\0');
  require(query(size, text.data(), nullptr), "ask for a property");
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  return text_of([&](std::size_t size, char* text, std::size_t* needed) {
    return library().get_device_info(device, what, size, text, needed);
  });
}

std::string text_of(cl_platform_id platform, cl_platform_info what) {
  return text_of([&](std::size_t size, char* text, std::size_t* needed) {
    return library().get_platform_info(platform, what, size, text, needed);
  });
}

/// The L2 size of an NVIDIA GPU, from its compute capability (cl_nv_device_attribute_query), because its driver reports
/// the size of the L1 caches instead; 0 for other devices.
std::int64_t nvidia_l2_bytes(cl_device_id device) {
  constexpr cl_device_info kCapabilityMajor = 0x4000, kCapabilityMinor = 0x4001;
  cl_uint major = 0, minor = 0;
  if (library().get_device_info(device, kCapabilityMajor, sizeof major, &major, nullptr) != CL_SUCCESS ||
      library().get_device_info(device, kCapabilityMinor, sizeof minor, &minor, nullptr) != CL_SUCCESS) {
    return 0;
  }
  const std::optional<Target> known = cuda_target(arch_of_capability(static_cast<int>(major), static_cast<int>(minor)));
  return known ? known->l2_bytes : 0;
}

Target target_of(cl_device_id device) {
  Target t = Target::parse("opencl");
  t.multiprocessors = static_cast<int>(std::clamp(number_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS), 1U, 4096U));
  t.shared_bytes = static_cast<std::int64_t>(std::clamp<cl_ulong>(number_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE),
                                                                  cl_ulong{1} << 10, cl_ulong{64} << 20));
  t.threads_per_block = static_cast<int>(
      std::clamp<std::size_t>(number_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1, 65536));
  const auto cache = static_cast<std::int64_t>(number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  if (const std::int64_t l2 = std::max(cache, nvidia_l2_bytes(device)); l2 >= 1024) t.l2_bytes = l2;
  return t;
}

FoundDevice describe(cl_platform_id platform, cl_device_id device) {
  FoundDevice found;
  found.platform = platform;
  found.device = device;
  DeviceInfo& info = found.info;
  info.kind = DeviceKind::kOpenCl;
  info.name = text_of(device, CL_DEVICE_NAME);
  info.driver = text_of(platform, CL_PLATFORM_NAME) + " " + text_of(device, CL_DRIVER_VERSION);
  info.memory_bytes = static_cast<std::int64_t>(number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  info.target = target_of(device);
  return found;
}

/// The devices of a type; empty if the platform has none.
std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 0;
  if (library().get_device_ids(platform, type, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (count > 0) require(library().get_device_ids(platform, type, count, devices.data(), nullptr), "list devices");
  return devices;
}

}  // namespace

std::vector<FoundDevice> find_devices() {
  cl_uint count = 0;
  const cl_int error = library().get_platform_ids(0, nullptr, &count);
  if (error != CL_SUCCESS || count == 0) {
    throw DeviceError(
        "OpenCL has no driver on this machine: install the device's, or PoCL for CPUs (Debian: "
        "pocl-opencl-icd)");
  }
  std::vector<cl_platform_id> platforms(count);
  require(library().get_platform_ids(count, platforms.data(), nullptr), "list platforms");
  std::vector<FoundDevice> found;
  for (const cl_device_type type : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}) {
    for (cl_platform_id platform : platforms) {
      for (cl_device_id device : devices_of(platform, static_cast<cl_device_type>(type))) {
        found.push_back(describe(platform, device));
        found.back().info.index = static_cast<int>(found.size()) - 1;
      }
    }
  }
  if (found.empty()) {
    throw DeviceError(
        "OpenCL's drivers find no device on this machine: see whether clinfo lists one, and that the "
        "folder POCL_CACHE_DIR, where it is set, may be written");
  }
  return found;
}

}  // namespace nestwright::opencl
