// One workload on a device from start to end: tuned, then timed beside a library and a copy, in random order round by
// round, each sample at least 20 ms of the device's clock, the calls going in turn through copies of the tensors that
// are larger than twice its L2 cache together. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/comparison/comparison.h"
#include "runtime/device.h"
#include "templates/framework/workload.h"

namespace nestwright::bench {

struct DeviceOptions {
  std::string db;
  double seconds = 30;  ///< of tuning; 0: what the database has
  int rounds = 15;
  std::uint64_t seed = 1;
  std::string template_name;  ///< of the only one that is tuned and timed; empty: the best of all
};

/// What is compared: "matmul m=1024 ..., by matmul.mma" where only that template is.
std::string subject_text(const std::string& workload, const DeviceOptions& options);

/// Throws Error where tuning fails or the device does. A library that is missing, refuses or is wrong is refused in the
/// result; our own result is held against the reference, too, and refused where it is wrong.
Comparison compare_on_device(const std::string& label, const Workload& workload, const std::shared_ptr<Device>& device,
                             const DeviceOptions& options);

}  // namespace nestwright::bench
