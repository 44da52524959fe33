// Calls a program on a device with arrays in host memory: copies the inputs there and the outputs back. Private to
// kernel/.
// Thread rule: one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device_program.h"

namespace nestwright {

class DeviceCall {
 public:
  explicit DeviceCall(DeviceProgram program);
  /// As Function::Entry. Gaps between the rows of an output keep their contents. Throws DeviceError.
  void operator()(std::span<void* const> buffers, std::span<const std::int64_t> symbols);

 private:
  void fetch(const ir::Buffer& buffer, const DeviceMemory& from, void* to, std::span<const std::int64_t> symbols);

  DeviceProgram program_;
  std::vector<DeviceMemoryPtr> memory_;  ///< of the parameters; grows if a call needs more than the ones before
  std::vector<std::byte> staging_;
};

}  // namespace nestwright
