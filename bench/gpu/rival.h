// What our kernels are timed beside on a device: a library's operation on the same tensors.
// Thread rule: as for its device.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "runtime/device.h"
#include "templates/framework/workload.h"

namespace nestwright::bench {

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name() const = 0;
  /// Version and what of it runs.
  virtual std::string detail() const = 0;
  /// How many times as far off as ours its results may be: it may round its inputs otherwise.
  virtual double allowed_error() const { return 1; }
  /// Puts one call on the device's queue: one memory a parameter of the workload, in order. Throws DeviceError.
  virtual void run(std::span<const DeviceMemoryPtr> tensors) = 0;
};

/// cuBLAS, loaded here (NESTWRIGHT_CUBLAS may name it). Null where it does not do the workload: plain products of one
/// batch in float32, bfloat16 and float16. Throws DeviceError where it is not installed or refuses.
std::unique_ptr<Rival> make_cublas(const Workload& workload);

}  // namespace nestwright::bench
