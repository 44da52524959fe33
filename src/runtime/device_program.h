// A program loaded on a device. Its kernels run there; its host statement (loops, lets, conditions, launches) is
// interpreted here. The sizes of launches may be symbolic.
//
//   DeviceProgram program(device, object, ir::deserialize(launches));
//   program.run({a, b, c}, {m, n});   // returns before the device is done
//
// Each allocation of the host statement has its own memory on the device, kept for the next call: slices of one
// workspace would have to begin at OpenCL's coarse offsets, and accesses outside them could not be detected separately.
// Thread rule: one thread at a time, as for its device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/gpu/launch.h"
#include "nestwright/device.h"
#include "nestwright/program.h"

namespace nestwright {

/// Returns the bytes from the first element of a buffer to its last one, including gaps between rows, when `symbols`
/// have `values`. Throws UsageError if that exceeds 64 bits.
std::int64_t bytes_in_memory(const ir::Buffer& buffer, std::span<const ir::Var> symbols,
                             std::span<const std::int64_t> values);

class DeviceProgram {
 public:
  /// Provides the memory for the allocations of the host statement.
  using Allocator = std::function<DeviceMemoryPtr(std::int64_t bytes)>;

  /// Loads `object`, code for the device's kind (CompiledObject::object) that was compiled from `program`, in vector
  /// form. Without `allocator`, memory is allocated from the device. Throws DeviceError if the device refuses the code,
  /// UsageError if the program has a preparation, which only CPUs support.
  DeviceProgram(std::shared_ptr<Device> device, const std::string& object, ir::Program program,
                Allocator allocator = {});

  const ir::Program& program() const { return program_; }
  Device& device() const { return *device_; }
  /// Returns the resources of one of the program's kernels; absent if the driver does not report them.
  std::optional<KernelUsage> usage(std::size_t kernel) const { return kernels_.at(kernel).kernel->usage(); }

  /// Runs the program on one memory per parameter and one value per symbol, in order. The memories must be as large as
  /// the program's buffers require; nothing is checked here. Launches without blocks are skipped. Throws DeviceError,
  /// UsageError.
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

  // The state of the current run.
  std::span<const DeviceMemoryPtr> parameters_;
  std::vector<ir::Var> vars_;  ///< the symbols, then the variables that the host statement has defined so far
  std::vector<std::int64_t> values_;
  std::vector<LaunchArgument> arguments_;  ///< of one launch; reused, because thousands are made per second
};

}  // namespace nestwright
