// A program on a device: its code loaded there, and its host statement, which is followed here (loops, lets,
// conditions, launches). The sizes of launches may be symbolic.
//
//   DeviceProgram program(device, object, ir::deserialize(launches));
//   program.run({a, b, c}, {m, n});   // returns before the device is done
//
// What the host statement allocates has memory of its own on the device each, kept for the next call: parts of one
// workspace would have to begin where OpenCL lets a slice begin, and could not be watched apart.
// Thread rule: one thread at a time, as for its device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/analysis/launch.h"
#include "ir/core/program.h"
#include "runtime/device.h"

namespace nestwright {

/// From the first element of a buffer to its last one, gaps between rows included, where `symbols` have `values`.
/// Throws UsageError where that exceeds 64 bits.
std::int64_t bytes_in_memory(const ir::Buffer& buffer, std::span<const ir::Var> symbols,
                             std::span<const std::int64_t> values);

class DeviceProgram {
 public:
  /// Gives memory for what the host statement allocates.
  using Allocator = std::function<DeviceMemoryPtr(std::int64_t bytes)>;

  /// `object` is code for the device's kind (CompiledObject::object) and `program` what it was made from, in vector
  /// form. `allocator` may be empty: the device's own memory then. Throws DeviceError where the device refuses the
  /// code, UsageError where the program prepares something, which is done for CPUs only.
  DeviceProgram(std::shared_ptr<Device> device, const std::string& object, ir::Program program,
                Allocator allocator = {});

  const ir::Program& program() const { return program_; }
  Device& device() const { return *device_; }
  /// Of one of the program's kernels, as the driver tells.
  std::optional<KernelNeeds> needs(std::size_t kernel) const { return kernels_.at(kernel).kernel->needs(); }

  /// Launches it on one memory a parameter and one value a symbol, in order. The memories must be as large as the
  /// program's buffers say: nothing is checked here. A launch of no blocks is left out. Throws DeviceError, UsageError.
  void run(std::span<const DeviceMemoryPtr> parameters, std::span<const std::int64_t> symbols = {});

 private:
  struct LoadedKernel {
    std::unique_ptr<DeviceKernel> kernel;
    ir::LaunchShape shape;
    ir::KernelArguments arguments;
    std::int64_t dynamic_shared_bytes = 0;
  };

  void follow(const ir::Stmt& s);
  void repeat(const ir::For& loop);
  void launch(const LoadedKernel& kernel);
  const DeviceMemoryPtr& memory_of(const ir::Buffer& buffer);
  std::int64_t value(const ir::Expr& e) const;

  std::shared_ptr<Device> device_;
  ir::Program program_;
  Allocator allocator_;
  std::unique_ptr<DeviceModule> module_;
  std::vector<LoadedKernel> kernels_;
  std::map<ir::Buffer, DeviceMemoryPtr> workspace_;

  // Of the run that goes on.
  std::span<const DeviceMemoryPtr> parameters_;
  std::vector<ir::Var> vars_;  ///< symbols, then what the host statement has defined so far
  std::vector<std::int64_t> values_;
  std::vector<LaunchArgument> arguments_;  ///< of one launch; kept, for thousands a second are made
};

}  // namespace nestwright
