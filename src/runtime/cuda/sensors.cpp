#include "runtime/cuda/sensors.h"

#include <cstdlib>
#include <optional>

#include "nestwright/error.h"
#include "support/os/shared_library.h"

namespace nestwright::cuda {
namespace {

// Constants of nvml.h, as documented.
constexpr int kDone = 0, kMultiprocessorClock = 1, kGpuTemperature = 0;

struct Library {
  int (*init)();
  int (*handle_by_pci_bus_id)(const char* address, void** device);
  int (*clock_info)(void* device, int clock, unsigned int* mhz);
  int (*temperature)(void* device, int sensor, unsigned int* celsius);
};

std::optional<Library> load() {
  const char* const named = std::getenv("NESTWRIGHT_NVML");
  const std::string names[] = {named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1"};
  const std::optional<SharedLibrary> library = SharedLibrary::open(names);
  if (!library) return std::nullopt;
  Library l{};
  try {
    l.init = library->function<decltype(l.init)>("nvmlInit_v2");
    l.handle_by_pci_bus_id = library->function<decltype(l.handle_by_pci_bus_id)>("nvmlDeviceGetHandleByPciBusId_v2");
    l.clock_info = library->function<decltype(l.clock_info)>("nvmlDeviceGetClockInfo");
    l.temperature = library->function<decltype(l.temperature)>("nvmlDeviceGetTemperature");
  } catch (const Error&) {
    return std::nullopt;  // a library without these functions
  }
  if (l.init() != kDone) return std::nullopt;
  return l;
}

const std::optional<Library>& library() {
  static const std::optional<Library> loaded = load();
  return loaded;
}

}  // namespace

Sensors::Sensors(const std::string& pci_address) {
  if (library() && library()->handle_by_pci_bus_id(pci_address.c_str(), &device_) != kDone) device_ = nullptr;
}

DeviceConditions Sensors::read() const {
  DeviceConditions conditions;
  if (device_ == nullptr) return conditions;
  unsigned int value = 0;
  if (library()->clock_info(device_, kMultiprocessorClock, &value) == kDone) conditions.clock_mhz = value;
  if (library()->temperature(device_, kGpuTemperature, &value) == kDone) conditions.temperature_c = value;
  return conditions;
}

}  // namespace nestwright::cuda
