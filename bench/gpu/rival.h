// A library's operation that our kernels are compared with on a device.
// Thread rule: that of its device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "nestwright/device.h"
#include "nestwright/template.h"

namespace nestwright::bench {

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name() const = 0;
  /// Version, and the routine that runs.
  virtual std::string detail() const = 0;
  /// Factor on the error bounds of its results, for libraries that round their inputs differently.
  virtual double allowed_error() const { return 1; }
  /// Puts one call on the device's queue. `tensors` are one for each parameter of the workload, in order. Throws
  /// DeviceError.
  virtual void run(std::span<const DeviceMemoryPtr> tensors) = 0;
};

/// cuBLAS, loaded at run time (from NESTWRIGHT_CUBLAS where it is set). Null where it does not support the workload: it
/// takes plain products without a batch in float32, bfloat16 and float16. Throws DeviceError where it is not installed
/// or refuses.
std::unique_ptr<Rival> make_cublas(const Workload& workload);

}  // namespace nestwright::bench
