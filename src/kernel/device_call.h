// A call of a program on a device with arrays in host memory: they are copied there, and the outputs back.
// Thread rule: one call at a time. Internal to kernel/.
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
  /// As Function::Entry. Of an output with gaps between its rows the gaps stay as they are. Throws DeviceError.
  void operator()(std::span<void* const> buffers, std::span<const std::int64_t> symbols);

 private:
  void fetch(const ir::Buffer& buffer, const DeviceMemory& from, void* to, std::span<const std::int64_t> symbols);

  DeviceProgram program_;
  std::vector<DeviceMemoryPtr> memory_;  ///< of the parameters; grows where a call needs more than those before it
  std::vector<std::byte> staging_;
};

}  // namespace nestwright
