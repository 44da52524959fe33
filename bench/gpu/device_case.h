// One case of a comparison on a device: tunes a workload, then times it beside a library and a copy, in random order
// in each round. A sample takes at least 20 ms of the device's clock; its calls rotate through copies of the tensors
// that are together larger than twice the L2 cache. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/comparison/results/comparison.h"
#include "nestwright/device.h"
#include "nestwright/workload.h"

namespace nestwright::bench {

struct DeviceOptions {
  std::string db;
  double seconds = 30;  ///< of tuning; 0: uses the best in the database
  int rounds = 15;
  std::uint64_t seed = 1;
  std::string template_name;  ///< the only template to tune and time; empty: all
};

/// The name of the comparison: the workload, and the template where it is the only one: "matmul m=1024 ..., by
/// matmul.mma".
std::string subject_text(const std::string& workload, const DeviceOptions& options);

/// Throws Error where tuning or the device fails. A library that is missing, refuses or is wrong is marked as refused
/// in the result. So is our own kernel where it does not match the reference.
Comparison compare_on_device(const std::string& label, const Workload& workload, const std::shared_ptr<Device>& device,
                             const DeviceOptions& options);

}  // namespace nestwright::bench
