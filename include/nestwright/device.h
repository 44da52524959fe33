// Devices that run kernels outside the CPU, each behind a driver that is loaded on first use: nothing is linked, and a
// machine without the driver gets an error that says so.
//
//   const std::unique_ptr<Device> device = make_device(DeviceKind::kOpenCl);
//   const DeviceMemoryPtr x = device->allocate(bytes);
//   const auto module = device->load(object);
//   const auto kernel = module->kernel("scale");
//   device->launch(*kernel, {.grid = {n, 1, 1}, .block = {32, 1, 1}}, {{x.get(), 1024}});
//   device->synchronise();
//
// Thread rule: one thread at a time per device, including everything that the device made. Operations execute in order;
// launches return before their kernels have ended. A process must not fork once a device exists: start others by
// posix_spawn. What a device made may outlive it. Units: bytes and nanoseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/target.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// A failure of a device, its driver or an operation on it: no driver, no memory, a launch that is refused.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The device's context is corrupted (an illegal address, an uncorrectable ECC error): every further call on this
/// device fails in this process, and only a new process gets a working context.
class DeviceLostError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The properties of a device.
struct DeviceInfo {
  DeviceKind kind = DeviceKind::kOpenCl;
  int index = 0;
  std::string name;    ///< as reported by its driver
  std::string driver;  ///< the version; for OpenCL preceded by the platform's name
  std::int64_t memory_bytes = 0;
  Target target;            ///< its description for schedules
  std::string pci_address;  ///< "00000000:01:00.0"; empty if it is not reported

  /// "NAME, DRIVER", which identifies it in records.
  std::string str() const { return name + ", " + driver; }
};

/// Conditions that timings depend on; 0 if the driver does not report them.
struct DeviceConditions {
  double clock_mhz = 0;      ///< of the multiprocessors
  double temperature_c = 0;  ///< degrees Celsius
};

/// Memory on a device, freed with its last owner.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  std::int64_t bytes() const { return bytes_; }
  /// The driver's handle: a CUdeviceptr or a cl_mem.
  std::uintptr_t handle() const { return handle_; }

 protected:
  DeviceMemory(std::uintptr_t handle, std::int64_t bytes) : handle_(handle), bytes_(bytes) {}

 private:
  std::uintptr_t handle_;
  std::int64_t bytes_;
};
using DeviceMemoryPtr = std::shared_ptr<DeviceMemory>;

/// The resources that a compiled kernel uses, as reported by the driver.
struct KernelUsage {
  int registers = 0;              ///< per thread
  std::int64_t local_bytes = 0;   ///< per thread: its stack and spilled registers
  std::int64_t shared_bytes = 0;  ///< per block, statically declared; a launch may add more
};

/// A kernel of a module, which it keeps loaded.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  /// Returns the resources that the driver reports; absent if it reports none.
  virtual std::optional<KernelUsage> usage() const { return std::nullopt; }
};

/// Code loaded on a device.
class DeviceModule {
 public:
  virtual ~DeviceModule() = default;
  /// Looks up a kernel. Throws DeviceError if the module does not contain it.
  virtual std::unique_ptr<DeviceKernel> kernel(const std::string& name) = 0;
};

/// The size of a launch, in blocks (grid) and threads (block) along x, y, z.
struct LaunchSize {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;  ///< per block, beyond what the kernel declares; CUDA only
};

/// A pointer (memory) or a number.
using LaunchArgument = std::variant<const DeviceMemory*, std::int64_t>;

/// All methods throw DeviceError if the driver refuses, and DeviceLostError if the device has become unusable.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  /// Allocates uninitialised memory. 0 bytes are allowed.
  virtual DeviceMemoryPtr allocate(std::int64_t bytes) = 0;
  /// Returns bytes offset .. offset + bytes - 1 of `memory`, which the slice keeps alive. `offset` must be a multiple
  /// of slice_alignment() and, with `bytes`, lie within `memory`.
  virtual DeviceMemoryPtr slice(const DeviceMemoryPtr& memory, std::int64_t offset, std::int64_t bytes) = 0;
  virtual std::int64_t slice_alignment() const = 0;

  /// Copy as many bytes as the host's side has, to the beginning of `to` or from `offset` on in `from`; complete when
  /// they return.
  virtual void upload(DeviceMemory& to, std::span<const std::byte> from) = 0;
  virtual void download(const DeviceMemory& from, std::span<std::byte> to, std::int64_t offset = 0) = 0;
  /// Copies all of `from` to the beginning of `to`.
  virtual void copy(const DeviceMemory& from, DeviceMemory& to) = 0;
  virtual void fill(DeviceMemory& memory, std::uint8_t value) = 0;

  /// Loads code in the form of a compiled object for this kind of device. The error contains the messages of the
  /// driver's compiler.
  virtual std::unique_ptr<DeviceModule> load(const std::string& object) = 0;
  /// Launches a kernel. Throws, before anything runs, if the device cannot run that many threads per block or has less
  /// shared memory than the kernel uses. Requires sizes of at least 1.
  virtual void launch(const DeviceKernel& kernel, const LaunchSize& size,
                      std::span<const LaunchArgument> arguments) = 0;
  /// Waits until all operations have completed; throws if a kernel failed.
  virtual void synchronise() = 0;
  /// Calls `work`, waits for it, and returns the time, by the device's own clock, of the launches and copies that it
  /// makes; 0 if it makes none.
  virtual double time_ns(const std::function<void()>& work) = 0;
  /// Reads the current conditions. Never changes any setting.
  virtual DeviceConditions conditions() = 0;
};

/// Opens device number `index` of that kind, as counted by list_devices(). Throws DeviceError that says what is missing
/// (the driver, a device of that number, or support in this build), and UsageError for the CPU.
std::unique_ptr<Device> make_device(DeviceKind kind, int index = 0);

/// The devices of one kind.
struct DeviceListing {
  DeviceKind kind = DeviceKind::kOpenCl;
  std::vector<DeviceInfo> devices;  ///< for OpenCL, GPUs come first
  std::string missing;              ///< why there are none, one sentence
};
/// Lists the devices of one kind; loads only its driver. Requires a kind other than the CPU.
DeviceListing list_devices(DeviceKind kind);
/// Lists the devices of CUDA and OpenCL.
std::vector<DeviceListing> list_devices();

/// The target of this text, where a kind of device alone is that of this machine: "cpu" its CPU with all cores, "cuda"
/// and "opencl" its first such device, which loads the driver. Throws UsageError as Target::parse() does.
Target find_target(std::string_view text);

}  // namespace nestwright

#pragma GCC visibility pop
