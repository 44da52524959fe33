// Compares results on a device with their expected values there, so that only a summary of 40 bytes per tensor is
// copied back. Calls are queued and execute in order, after the kernels that were launched before:
//
//   checker->digest(*a, 0, a_bytes);
//   checker->compare(kFloat32, *c, *expected, bound.get(), n);
//   const std::vector<DeviceSummary> found = checker->finish();   // one per call; waits for the device
//
// Private to measure/.
// Thread rule: one thread at a time, as for its device. Units: bytes and elements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/check/elements.h"
#include "nestwright/device.h"
#include "nestwright/type.h"

namespace nestwright {

/// The result of one call of compare() or digest().
struct DeviceSummary {
  std::int64_t wrong_elements = 0;  ///< compare: their number
  Comparison comparison;            ///< compare: identical to that of compare_elements()
  /// The digest of the bytes (digest), or of the expected values and bounds, which a kernel may have overwritten
  /// (compare).
  std::uint64_t digest = 0;
};

/// Returns the digest that DeviceChecker::digest computes for these bytes. It changes whenever a single 8-byte word
/// does.
std::uint64_t device_digest(std::span<const std::byte> bytes);

class DeviceChecker {
 public:
  /// Makes a checker from `object`, device_checker_object() of `types` (measure/check/device_checker_source.h). Returns
  /// null if `object` is empty, the device refuses it or is lost, or a trial on a few elements of each type differs
  /// from compare_elements(), e.g. because the device does not have float64.
  static std::unique_ptr<DeviceChecker> make(std::shared_ptr<Device> device, const std::string& object,
                                             std::span<const ir::Type> types);

  /// Queues compare_elements() of the first `elements` of `got`. `expected` and `bound` hold as many doubles; a null
  /// `bound` allows no error. Requires one of the types that the checker was made for. Throws DeviceError.
  void compare(ir::Type type, const DeviceMemory& got, const DeviceMemory& expected, const DeviceMemory* bound,
               std::int64_t elements);
  /// Queues the digest of bytes offset .. offset + bytes - 1. Throws DeviceError.
  void digest(const DeviceMemory& memory, std::int64_t offset, std::int64_t bytes);
  /// Returns the summaries of all calls since the last finish(), in order. Throws DeviceError.
  std::vector<DeviceSummary> finish();

 private:
  DeviceChecker(std::shared_ptr<Device> device, const std::string& object, std::span<const ir::Type> types);

  bool is_trusted(std::span<const ir::Type> types);
  void combine(std::int64_t blocks);
  void take_results();

  std::shared_ptr<Device> device_;
  std::unique_ptr<DeviceModule> module_;
  std::map<std::string, std::unique_ptr<DeviceKernel>> comparisons_;
  std::unique_ptr<DeviceKernel> digest_, combine_;
  DeviceMemoryPtr partial_, results_;
  std::int64_t queued_ = 0;  ///< results that are still on the device
  std::vector<DeviceSummary> found_;
};

}  // namespace nestwright
