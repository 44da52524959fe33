// The clock and temperature of a GPU, read from NVIDIA's management library (libnvidia-ml.so.1, or the one that
// NESTWRIGHT_NVML names). Read-only. Private to runtime/cuda.
// Thread rule: one thread at a time.
#pragma once

#include <string>

#include "nestwright/device.h"

namespace nestwright::cuda {

class Sensors {
 public:
  /// For the device at that PCI address. Never throws: without the library, read() reports nothing.
  explicit Sensors(const std::string& pci_address);
  DeviceConditions read() const;

 private:
  void* device_ = nullptr;  ///< nvmlDevice_t; null: nothing is reported
};

}  // namespace nestwright::cuda
