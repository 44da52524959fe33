// Clock and temperature of a GPU, as NVIDIA's management library (libnvidia-ml.so.1, or the one that NESTWRIGHT_NVML
// names) tells them. It only reads. Private to runtime/cuda. Thread rule: one thread at a time.
#pragma once

#include <string>

#include "runtime/device.h"

namespace nestwright::cuda {

class Sensors {
 public:
  /// Of the device at that address of the bus. Never throws: without the library nothing is told.
  explicit Sensors(const std::string& pci_address);
  DeviceConditions read() const;

 private:
  void* device_ = nullptr;  ///< nvmlDevice_t; null: nothing is told
};

}  // namespace nestwright::cuda
