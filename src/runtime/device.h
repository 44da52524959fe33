// A device that runs kernels of its own, behind a driver that is loaded when the first one is asked for: nothing is
// linked, and a machine without the driver gets an error that says so.
//
//   const std::unique_ptr<Device> device = make_device(DeviceKind::kOpenCl);
//   const DeviceMemoryPtr x = device->allocate(bytes);
//   const auto module = device->load(object);
//   const auto kernel = module->kernel("scale");
//   device->launch(*kernel, {.grid = {n, 1, 1}, .block = {32, 1, 1}}, {{x.get(), 1024}});
//   device->synchronise();
//
// Thread rule: one thread at a time a device, with all that it made. Calls are carried out in order; launches return
// before their kernels have ended. No process may fork once a device exists: start others by posix_spawn. What a device
// made may outlive it. Units: bytes and nanoseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/device_error.h"
#include "target/target.h"

namespace nestwright {

struct DeviceInfo {
  DeviceKind kind = DeviceKind::kOpenCl;
  int index = 0;
  std::string name;    ///< as its driver says
  std::string driver;  ///< version; of OpenCL with the platform's name
  std::int64_t memory_bytes = 0;
  Target target;            ///< what it is to schedules
  std::string pci_address;  ///< "00000000:01:00.0"; empty where it is not told
};

/// What a timing depends on; 0 where the driver does not tell.
struct DeviceConditions {
  double clock_mhz = 0;      ///< of the multiprocessors
  double temperature_c = 0;  ///< degrees Celsius
};

/// Memory of a device, freed with its last owner.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  std::int64_t bytes() const { return bytes_; }
  /// What the driver knows it by.
  std::uintptr_t handle() const { return handle_; }

 protected:
  DeviceMemory(std::uintptr_t handle, std::int64_t bytes) : handle_(handle), bytes_(bytes) {}

 private:
  std::uintptr_t handle_;
  std::int64_t bytes_;
};
using DeviceMemoryPtr = std::shared_ptr<DeviceMemory>;

/// What a kernel takes of a multiprocessor.
struct KernelNeeds {
  int registers = 0;              ///< a thread
  std::int64_t local_bytes = 0;   ///< a thread: its stack and what did not fit the registers
  std::int64_t shared_bytes = 0;  ///< a block, declared; what a launch gives comes on top
};

class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  /// As the driver tells; nullopt where it does not.
  virtual std::optional<KernelNeeds> needs() const { return std::nullopt; }
};

/// Code on a device.
class DeviceModule {
 public:
  virtual ~DeviceModule() = default;
  /// Throws DeviceError where the module has no kernel of that name.
  virtual std::unique_ptr<DeviceKernel> kernel(const std::string& name) = 0;
};

struct LaunchSize {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;  ///< of a block, beyond what the kernel declares; CUDA only
};

/// A pointer (memory) or a number.
using LaunchArgument = std::variant<const DeviceMemory*, std::int64_t>;

/// All methods throw DeviceError where the driver refuses, and DeviceLostError where the device is of no further use.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  /// Uninitialised; 0 bytes give memory that holds nothing.
  virtual DeviceMemoryPtr allocate(std::int64_t bytes) = 0;
  /// Bytes offset .. offset + bytes - 1 of `memory`, which they keep alive. `offset` is a multiple of
  /// slice_alignment(), and of 0 bytes there are none.
  virtual DeviceMemoryPtr slice(const DeviceMemoryPtr& memory, std::int64_t offset, std::int64_t bytes) = 0;
  virtual std::int64_t slice_alignment() const = 0;

  /// As many bytes as the host's side has, to the beginning of the memory and from `offset` on; done when they return.
  virtual void upload(DeviceMemory& to, std::span<const std::byte> from) = 0;
  virtual void download(const DeviceMemory& from, std::span<std::byte> to, std::int64_t offset = 0) = 0;
  /// All of `from` to the beginning of `to`.
  virtual void copy(const DeviceMemory& from, DeviceMemory& to) = 0;
  virtual void fill(DeviceMemory& memory, std::uint8_t value) = 0;

  /// Code as CompiledObject::object has it for the kind of device. The error holds what the driver's compiler says.
  virtual std::unique_ptr<DeviceModule> load(const std::string& object) = 0;
  /// Refused, before anything runs, where the device cannot run as many threads a block or has less shared memory than
  /// the kernel takes. Requires sizes of at least 1.
  virtual void launch(const DeviceKernel& kernel, const LaunchSize& size,
                      std::span<const LaunchArgument> arguments) = 0;
  /// Returns when everything has been carried out; throws where a kernel failed.
  virtual void synchronise() = 0;
  /// The time that the device takes for what `work` launches and copies on the device, by its own clock; waits for it.
  /// 0 where it does neither.
  virtual double time_ns(const std::function<void()>& work) = 0;
  /// How it is now. Nothing is ever changed.
  virtual DeviceConditions conditions() = 0;
};

/// Device number `index` of that kind, as list_devices() counts. Throws DeviceError that says what is missing: the
/// driver, a device of that number, or the support for it in this build. Throws UsageError for the CPU.
std::unique_ptr<Device> make_device(DeviceKind kind, int index = 0);

/// The devices of one kind.
struct DeviceListing {
  DeviceKind kind = DeviceKind::kOpenCl;
  std::vector<DeviceInfo> devices;  ///< of OpenCL GPUs come first
  std::string missing;              ///< why there is none, one sentence
};
/// Loads the driver of that kind alone. Requires a kind that is not the CPU.
DeviceListing list_devices(DeviceKind kind);
/// Of CUDA and of OpenCL.
std::vector<DeviceListing> list_devices();

}  // namespace nestwright
