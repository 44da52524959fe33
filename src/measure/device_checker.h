// Holds what lies on a device against what is expected of it there, so that only a summary of 40 bytes a tensor comes
// back. Work is queued and carried out in the order of the calls, behind the kernels that were launched before:
//
//   checker->digest(*a, 0, a_bytes);
//   checker->compare(kFloat32, *c, *expected, bound.get(), n);
//   const std::vector<DeviceSummary> found = checker->finish();   // one a call, waits for the device
//
// Private to measure/. Thread rule: one thread at a time, as for its device. Units: bytes and elements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/core/type.h"
#include "measure/elements.h"
#include "runtime/device.h"

namespace nestwright {

struct DeviceSummary {
  std::int64_t wrong_elements = 0;  ///< compare: how many
  Comparison comparison;            ///< compare: as compare_elements() finds it, bit for bit
  /// digest: of the bytes. compare: of what is expected and of the bounds, which a kernel may have overwritten.
  std::uint64_t digest = 0;
};

/// What DeviceChecker::digest finds of these bytes. Differs where a single word of eight bytes does.
std::uint64_t device_digest(std::span<const std::byte> bytes);

class DeviceChecker {
 public:
  /// `object` is device_checker_object() of `types` (measure/device_checker_source.h). Null where there is none, the
  /// device refuses it or is lost, or a trial on a few elements of each type finds other than compare_elements()
  /// does: it may have no float64, for instance.
  static std::unique_ptr<DeviceChecker> make(std::shared_ptr<Device> device, const std::string& object,
                                             std::span<const ir::Type> types);

  /// compare_elements() of the first `elements` of `got`. `bound` null: no error is allowed. `expected` and `bound`
  /// hold as many doubles. Requires one of the types that it was made for. Throws DeviceError.
  void compare(ir::Type type, const DeviceMemory& got, const DeviceMemory& expected, const DeviceMemory* bound,
               std::int64_t elements);
  /// Of bytes offset .. offset + bytes - 1. Throws DeviceError.
  void digest(const DeviceMemory& memory, std::int64_t offset, std::int64_t bytes);
  /// What was found since the last call. Throws DeviceError.
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
  std::int64_t queued_ = 0;  ///< results that are on the device
  std::vector<DeviceSummary> found_;
};

}  // namespace nestwright
