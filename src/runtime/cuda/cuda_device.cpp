#include "runtime/cuda/cuda_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/sensors.h"
#include "target/description/gpu_target.h"

namespace nestwright::cuda {
namespace {

constexpr StreamHandle kOneStream = nullptr;

int attribute(DeviceNumber device, DeviceAttribute which) {
  int value = 0;
  require(driver().device_get_attribute(&value, which, device), "tell a device's properties");
  return value;
}

/// The device's primary context.
class Context {
 public:
  explicit Context(DeviceNumber device) : device_(device) {
    require(driver().device_primary_ctx_retain(&context_, device), "make a context");
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { driver().device_primary_ctx_release(device_); }
  void enter() const { require(driver().ctx_set_current(context_), "use the device"); }
  /// For destructors, which may run on a thread that has not used the device.
  void enter_if_possible() const noexcept { driver().ctx_set_current(context_); }

 private:
  DeviceNumber device_;
  ContextHandle context_ = nullptr;
};
using ContextPtr = std::shared_ptr<const Context>;

class Memory final : public DeviceMemory {
 public:
  Memory(DevicePointer pointer, std::int64_t bytes, ContextPtr context)
      : DeviceMemory(static_cast<std::uintptr_t>(pointer), bytes), context_(std::move(context)) {}
  ~Memory() override {
    context_->enter_if_possible();
    driver().mem_free(handle());
  }

 private:
  ContextPtr context_;
};

class Slice final : public DeviceMemory {
 public:
  Slice(DeviceMemoryPtr whole, std::int64_t offset, std::int64_t bytes)
      : DeviceMemory(whole->handle() + static_cast<std::uintptr_t>(offset), bytes), whole_(std::move(whole)) {}

 private:
  DeviceMemoryPtr whole_;
};

/// A loaded module, unloaded with its last owner.
class Code {
 public:
  Code(const std::string& object, ContextPtr context) : context_(std::move(context)) {
    char log[4096] = "";
    JitOption names[] = {JitOption::kErrorLog, JitOption::kErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const Result result = driver().module_load_data_ex(&module_, object.c_str(), 2, names, values);
    log[sizeof log - 1] = '\0';
    require(result, *log == '\0' ? "load the code" : fmt::format("load the code: {}", log));
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    context_->enter_if_possible();
    driver().module_unload(module_);
  }
  ModuleHandle get() const { return module_; }

 private:
  ContextPtr context_;
  ModuleHandle module_ = nullptr;
};

class Kernel final : public DeviceKernel {
 public:
  Kernel(FunctionHandle function, std::string name, std::shared_ptr<const Code> code)
      : function_(function), name_(std::move(name)), code_(std::move(code)) {
    max_threads_ = get(FunctionAttribute::kThreadsPerBlock);
    static_shared_ = get(FunctionAttribute::kStaticSharedBytes);
    allowed_dynamic_ = get(FunctionAttribute::kDynamicSharedBytes);
  }

  std::optional<KernelUsage> usage() const override {
    return KernelUsage{get(FunctionAttribute::kRegisters), get(FunctionAttribute::kLocalBytes), static_shared_};
  }

  FunctionHandle function() const { return function_; }
  const std::string& name() const { return name_; }
  std::int64_t max_threads() const { return max_threads_; }
  std::int64_t static_shared() const { return static_shared_; }

  /// Raises the limit of a launch to `bytes`; the driver's default is the 48 KiB that every device has.
  void allow_dynamic(std::int64_t bytes) const {
    if (bytes <= allowed_dynamic_) return;
    require(driver().func_set_attribute(function_, FunctionAttribute::kDynamicSharedBytes, static_cast<int>(bytes)),
            fmt::format("give kernel {} {} bytes of shared memory", name_, bytes));
    allowed_dynamic_ = bytes;
  }

 private:
  int get(FunctionAttribute which) const {
    int value = 0;
    require(driver().func_get_attribute(&value, which, function_), "tell a kernel's properties");
    return value;
  }

  FunctionHandle function_;
  std::string name_;
  std::shared_ptr<const Code> code_;
  std::int64_t max_threads_ = 0, static_shared_ = 0;
  mutable std::int64_t allowed_dynamic_ = 0;
};

class Module final : public DeviceModule {
 public:
  explicit Module(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  std::unique_ptr<DeviceKernel> kernel(const std::string& name) override {
    FunctionHandle function = nullptr;
    const Result result = driver().module_get_function(&function, code_->get(), name.c_str());
    if (result == kNotFound) throw DeviceError("the code for CUDA has no kernel " + name);
    require(result, "find a kernel");
    return std::make_unique<Kernel>(function, name, code_);
  }

 private:
  std::shared_ptr<const Code> code_;
};

class Event {
 public:
  explicit Event(ContextPtr context) : context_(std::move(context)) {
    require(driver().event_create(&event_, 0), "make an event");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    context_->enter_if_possible();
    driver().event_destroy(event_);
  }
  EventHandle get() const { return event_; }
  void record() const { require(driver().event_record(event_, kOneStream), "record an event"); }

 private:
  ContextPtr context_;
  EventHandle event_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(DeviceNumber device, DeviceInfo info)
      : info_(std::move(info)), sensors_(info_.pci_address), context_(std::make_shared<Context>(device)) {
    context_->enter();
    start_ = std::make_unique<Event>(context_);
    end_ = std::make_unique<Event>(context_);
  }

  const DeviceInfo& info() const override { return info_; }
  std::int64_t slice_alignment() const override { return 256; }  // the alignment of allocations

  DeviceMemoryPtr allocate(std::int64_t bytes) override {
    check(bytes >= 0, "a device is asked for less than no memory");
    context_->enter();
    DevicePointer pointer = 0;
    const Result result = driver().mem_alloc(&pointer, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    require(result, fmt::format("give {} bytes of memory of {}", bytes, info_.name));
    return std::make_shared<Memory>(pointer, bytes, context_);
  }

  DeviceMemoryPtr slice(const DeviceMemoryPtr& memory, std::int64_t offset, std::int64_t bytes) override {
    check(offset >= 0 && bytes >= 0 && offset + bytes <= memory->bytes(), "a slice is outside of its memory");
    return std::make_shared<Slice>(memory, offset, bytes);
  }

  void upload(DeviceMemory& to, std::span<const std::byte> from) override {
    if (from.empty()) return;
    check(static_cast<std::int64_t>(from.size()) <= to.bytes(), "more is copied to a device than has room there");
    context_->enter();
    require(driver().memcpy_htod(to.handle(), from.data(), from.size()), "copy to the device");
  }

  void download(const DeviceMemory& from, std::span<std::byte> to, std::int64_t offset) override {
    if (to.empty()) return;
    check(offset >= 0 && offset + static_cast<std::int64_t>(to.size()) <= from.bytes(),
          "more is copied from a device than is there");
    context_->enter();
    require(driver().memcpy_dtoh(to.data(), from.handle() + static_cast<DevicePointer>(offset), to.size()),
            "copy from the device");
  }

  void copy(const DeviceMemory& from, DeviceMemory& to) override {
    if (from.bytes() == 0) return;
    check(from.bytes() <= to.bytes(), "more is copied on a device than has room");
    context_->enter();
    require(driver().memcpy_dtod(to.handle(), from.handle(), static_cast<std::size_t>(from.bytes())),
            "copy on the device");
  }

  void fill(DeviceMemory& memory, std::uint8_t value) override {
    if (memory.bytes() == 0) return;
    context_->enter();
    require(driver().memset_d8(memory.handle(), value, static_cast<std::size_t>(memory.bytes())),
            "fill memory of the device");
  }

  std::unique_ptr<DeviceModule> load(const std::string& object) override {
    context_->enter();
    return std::make_unique<Module>(std::make_shared<const Code>(object, context_));
  }

  void launch(const DeviceKernel& kernel, const LaunchSize& size, std::span<const LaunchArgument> arguments) override {
    const auto& ours = static_cast<const Kernel&>(kernel);
    check_launch(ours, size);
    context_->enter();
    ours.allow_dynamic(size.dynamic_shared_bytes);
    // The driver reads the size of the kernel's parameter behind each pointer: eight bytes in all cases.
    values_.clear();
    for (const LaunchArgument& argument : arguments) {
      const auto* memory = std::get_if<const DeviceMemory*>(&argument);
      values_.push_back(memory != nullptr ? (*memory)->handle()
                                          : static_cast<std::uint64_t>(std::get<std::int64_t>(argument)));
    }
    pointers_.clear();
    for (std::uint64_t& value : values_) pointers_.push_back(&value);
    const auto at = [](const std::array<std::int64_t, 3>& sizes, std::size_t d) {
      return static_cast<unsigned int>(sizes[d]);
    };
    const Result result = driver().launch_kernel(
        ours.function(), at(size.grid, 0), at(size.grid, 1), at(size.grid, 2), at(size.block, 0), at(size.block, 1),
        at(size.block, 2), static_cast<unsigned int>(size.dynamic_shared_bytes), kOneStream, pointers_.data(), nullptr);
    if (result != kSuccess) require(result, fmt::format("launch kernel {}", ours.name()));
  }

  void synchronise() override {
    context_->enter();
    require(driver().ctx_synchronize(), "carry out what was launched");
  }

  double time_ns(const std::function<void()>& work) override {
    synchronise();
    start_->record();
    work();
    end_->record();
    require(driver().event_synchronize(end_->get()), "carry out what was launched");
    float milliseconds = 0;
    require(driver().event_elapsed_time(&milliseconds, start_->get(), end_->get()), "read its clock");
    return static_cast<double>(milliseconds) * 1e6;
  }

  DeviceConditions conditions() override { return sensors_.read(); }

 private:
  void check_launch(const Kernel& kernel, const LaunchSize& size) const {
    const std::int64_t threads = size.block[0] * size.block[1] * size.block[2];
    if (threads > kernel.max_threads()) {
      throw DeviceError(fmt::format("kernel {} is launched with {} threads a block, and {} runs at most {} of it",
                                    kernel.name(), threads, info_.name, kernel.max_threads()));
    }
    const std::int64_t shared = kernel.static_shared() + size.dynamic_shared_bytes;
    if (shared > info_.target.shared_bytes) {
      throw DeviceError(fmt::format("kernel {} takes {} bytes of shared memory a block, and {} has {}", kernel.name(),
                                    shared, info_.name, info_.target.shared_bytes));
    }
    constexpr std::int64_t kMaxBlocks[] = {std::numeric_limits<std::int32_t>::max(), 65535, 65535};
    for (std::size_t d = 0; d < 3; ++d) {
      if (size.grid[d] <= kMaxBlocks[d]) continue;
      throw DeviceError(fmt::format("kernel {} is launched with {} blocks along {}, and CUDA runs at most {}",
                                    kernel.name(), size.grid[d], "xyz"[d], kMaxBlocks[d]));
    }
  }

  DeviceInfo info_;
  Sensors sensors_;
  ContextPtr context_;
  std::unique_ptr<Event> start_, end_;
  std::vector<std::uint64_t> values_;  ///< the arguments of one launch
  std::vector<void*> pointers_;        ///< pointers to values_
};

DeviceInfo describe(DeviceNumber device, int index) {
  DeviceInfo info;
  info.kind = DeviceKind::kCuda;
  info.index = index;
  char text[256] = "";
  require(driver().device_get_name(text, sizeof text, device), "tell a device's name");
  info.name = text;
  require(driver().device_get_pci_bus_id(text, sizeof text, device), "tell where a device is");
  info.pci_address = text;
  std::size_t bytes = 0;
  require(driver().device_total_mem(&bytes, device), "tell a device's memory");
  info.memory_bytes = static_cast<std::int64_t>(bytes);
  int version = 0;
  require(driver().driver_get_version(&version), "tell its version");
  info.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  const int major = attribute(device, DeviceAttribute::kCapabilityMajor),
            minor = attribute(device, DeviceAttribute::kCapabilityMinor);
  const std::string arch = arch_of_capability(major, minor);
  if (arch.empty()) {
    throw DeviceError(
        fmt::format("{} has compute capability {}.{}, which no code is generated for", info.name, major, minor));
  }
  Target& t = info.target;
  t = *cuda_target(arch);
  t.multiprocessors = attribute(device, DeviceAttribute::kMultiprocessors);
  t.warp = attribute(device, DeviceAttribute::kWarpSize);
  t.threads_per_block = attribute(device, DeviceAttribute::kThreadsPerBlock);
  t.shared_bytes = attribute(device, DeviceAttribute::kSharedBytesPerBlockOptIn);
  t.registers_per_block = attribute(device, DeviceAttribute::kRegistersPerBlock);
  if (const int l2 = attribute(device, DeviceAttribute::kL2Bytes); l2 > 0) t.l2_bytes = l2;
  return info;
}

int count_devices() {
  int count = 0;
  const Result result = driver().device_get_count(&count);
  if (result == kNoDevice || (result == kSuccess && count == 0)) {
    throw DeviceError(
        "the CUDA driver finds no device: see whether nvidia-smi lists one and CUDA_VISIBLE_DEVICES "
        "hides none");
  }
  require(result, "count devices");
  return count;
}

DeviceNumber device_number(int index) {
  DeviceNumber device = 0;
  require(driver().device_get(&device, index), "find a device");
  return device;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  const int count = count_devices();
  std::string unsupported;
  for (int i = 0; i < count; ++i) {
    try {
      devices.push_back(describe(device_number(i), i));
    } catch (const DeviceError& e) {
      unsupported = e.what();  // an old device beside supported ones is ignored
    }
  }
  if (devices.empty()) throw DeviceError(unsupported);
  return devices;
}

std::unique_ptr<Device> make_device(int index) {
  const int count = count_devices();
  if (index < 0 || index >= count) {
    throw DeviceError(fmt::format("CUDA has no device {}: it has {}, counted from 0", index, count));
  }
  const DeviceNumber device = device_number(index);
  return std::make_unique<CudaDevice>(device, describe(device, index));
}

}  // namespace nestwright::cuda
