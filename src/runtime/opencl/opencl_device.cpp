#include "runtime/opencl/opencl_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "runtime/opencl/find_devices.h"
#include "runtime/opencl/library.h"

namespace nestwright::opencl {
namespace {

/// Releases an OpenCL object with its last owner.
template <class Handle>
std::shared_ptr<std::remove_pointer_t<Handle>> owned(Handle handle, cl_int (*release)(Handle)) {
  return {handle, [release](Handle object) {
            if (object != nullptr) release(object);
          }};
}

using Context = std::shared_ptr<_cl_context>;
using Event = std::shared_ptr<_cl_event>;

class Memory final : public DeviceMemory {
 public:
  Memory(cl_mem memory, std::int64_t bytes, std::shared_ptr<const void> keeps)
      : DeviceMemory(reinterpret_cast<std::uintptr_t>(memory), bytes),
        memory_(owned(memory, library().release_mem_object)),
        keeps_(std::move(keeps)) {}

 private:
  std::shared_ptr<_cl_mem> memory_;
  std::shared_ptr<const void> keeps_;  ///< the context, or the memory of which this is a slice
};

cl_mem handle_of(const DeviceMemory& memory) { return reinterpret_cast<cl_mem>(memory.handle()); }

class Kernel final : public DeviceKernel {
 public:
  Kernel(cl_kernel kernel, std::string name, cl_device_id device, std::shared_ptr<_cl_program> program)
      : kernel_(owned(kernel, library().release_kernel)), program_(std::move(program)), name_(std::move(name)) {
    cl_ulong local = 0;
    require(library().get_kernel_work_group_info(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, {}),
            "ask for a kernel's local memory");
    local_bytes_ = static_cast<std::int64_t>(local);
    require(library().get_kernel_work_group_info(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof max_threads_,
                                                 &max_threads_, {}),
            "ask for a kernel's threads");
    require(library().get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments_, &arguments_, {}),
            "ask for a kernel's arguments");
  }

  cl_kernel get() const { return kernel_.get(); }
  const std::string& name() const { return name_; }
  std::int64_t local_bytes() const { return local_bytes_; }
  std::size_t max_threads() const { return max_threads_; }
  std::size_t arguments() const { return arguments_; }

 private:
  std::shared_ptr<_cl_kernel> kernel_;
  std::shared_ptr<_cl_program> program_;
  std::string name_;
  std::int64_t local_bytes_ = 0;
  std::size_t max_threads_ = 0;
  cl_uint arguments_ = 0;
};

class Module final : public DeviceModule {
 public:
  Module(cl_program program, cl_device_id device)
      : program_(owned(program, library().release_program)), device_(device) {}

  std::unique_ptr<DeviceKernel> kernel(const std::string& name) override {
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = library().create_kernel(program_.get(), name.c_str(), &error);
    if (error == CL_INVALID_KERNEL_NAME) throw DeviceError("the code for OpenCL has no kernel " + name);
    require(error, "make a kernel");
    return std::make_unique<Kernel>(kernel, name, device_, program_);
  }

 private:
  std::shared_ptr<_cl_program> program_;
  cl_device_id device_;
};

class OpenClDevice final : public Device {
 public:
  explicit OpenClDevice(FoundDevice found) : device_(found.device), info_(std::move(found.info)) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(found.platform), 0};
    cl_int error = CL_SUCCESS;
    context_ =
        owned(library().create_context(properties, 1, &device_, nullptr, nullptr, &error), library().release_context);
    require(error, "make a context");
    queue_ = owned(library().create_command_queue(context_.get(), device_, CL_QUEUE_PROFILING_ENABLE, &error),
                   library().release_command_queue);
    require(error, "make a queue");
    slice_alignment_ = std::max<std::int64_t>(1, number_of<cl_uint>(device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
    local_memory_ = static_cast<std::int64_t>(number_of<cl_ulong>(device_, CL_DEVICE_LOCAL_MEM_SIZE));
    const auto rounding = number_of<cl_device_fp_config>(device_, CL_DEVICE_SINGLE_FP_CONFIG);
    if ((rounding & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0) options_ += " -cl-fp32-correctly-rounded-divide-sqrt";
  }

  const DeviceInfo& info() const override { return info_; }
  std::int64_t slice_alignment() const override { return slice_alignment_; }

  DeviceMemoryPtr allocate(std::int64_t bytes) override {
    check(bytes >= 0, "a device is asked for less than no memory");
    cl_int error = CL_SUCCESS;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
    cl_mem memory = library().create_buffer(context_.get(), CL_MEM_READ_WRITE, size, nullptr, &error);
    if (error != CL_SUCCESS) {
      throw DeviceError(fmt::format("{} gives no {} bytes of memory ({}): use smaller tensors", info_.name, bytes,
                                    error_name(error)));
    }
    return std::make_shared<Memory>(memory, bytes, context_);
  }

  DeviceMemoryPtr slice(const DeviceMemoryPtr& memory, std::int64_t offset, std::int64_t bytes) override {
    check(offset >= 0 && bytes >= 0 && offset + bytes <= memory->bytes(), "a slice is outside of its memory");
    const cl_buffer_region region{static_cast<std::size_t>(offset),
                                  static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))};
    cl_int error = CL_SUCCESS;
    cl_mem part = library().create_sub_buffer(handle_of(*memory), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                              &region, &error);
    require(error, "make a slice of memory");
    return std::make_shared<Memory>(part, bytes, memory);
  }

  void upload(DeviceMemory& to, std::span<const std::byte> from) override {
    if (from.empty()) return;
    check(static_cast<std::int64_t>(from.size()) <= to.bytes(), "more is copied to a device than has room there");
    require_done(library().enqueue_write_buffer(queue_.get(), handle_of(to), CL_TRUE, 0, from.size(), from.data(), 0,
                                                nullptr, nullptr),
                 "copy to the device");
  }

  void download(const DeviceMemory& from, std::span<std::byte> to, std::int64_t offset) override {
    if (to.empty()) return;
    check(offset >= 0 && offset + static_cast<std::int64_t>(to.size()) <= from.bytes(),
          "more is copied from a device than is there");
    require_done(library().enqueue_read_buffer(queue_.get(), handle_of(from), CL_TRUE, static_cast<std::size_t>(offset),
                                               to.size(), to.data(), 0, nullptr, nullptr),
                 "copy from the device");
  }

  void copy(const DeviceMemory& from, DeviceMemory& to) override {
    if (from.bytes() == 0) return;
    check(from.bytes() <= to.bytes(), "more is copied on a device than has room");
    cl_event event = nullptr;
    require(library().enqueue_copy_buffer(queue_.get(), handle_of(from), handle_of(to), 0, 0,
                                          static_cast<std::size_t>(from.bytes()), 0, nullptr, wanted(event)),
            "copy on the device");
    keep(event);
  }

  void fill(DeviceMemory& memory, std::uint8_t value) override {
    if (memory.bytes() == 0) return;
    require(library().enqueue_fill_buffer(queue_.get(), handle_of(memory), &value, 1, 0,
                                          static_cast<std::size_t>(memory.bytes()), 0, nullptr, nullptr),
            "fill memory of the device");
  }

  std::unique_ptr<DeviceModule> load(const std::string& object) override {
    const char* text = object.data();
    const std::size_t length = object.size();
    cl_int error = CL_SUCCESS;
    cl_program program = library().create_program_with_source(context_.get(), 1, &text, &length, &error);
    require(error, "take a program's source");
    auto module = std::make_unique<Module>(program, device_);
    error = library().build_program(program, 1, &device_, options_.c_str(), nullptr, nullptr);
    if (error != CL_SUCCESS) {
      throw DeviceError(
          fmt::format("{} refuses the source ({}): {}", info_.name, error_name(error), build_log(program)));
    }
    return module;
  }

  void launch(const DeviceKernel& kernel, const LaunchSize& size, std::span<const LaunchArgument> arguments) override {
    const auto& ours = static_cast<const Kernel&>(kernel);
    check_launch(ours, size, arguments.size());
    for (std::size_t a = 0; a < arguments.size(); ++a) set_argument(ours, static_cast<cl_uint>(a), arguments[a]);
    std::size_t global[3], local[3];
    for (std::size_t d = 0; d < 3; ++d) {
      local[d] = static_cast<std::size_t>(size.block[d]);
      global[d] = static_cast<std::size_t>(size.grid[d]) * local[d];
    }
    cl_event event = nullptr;
    const cl_int error = library().enqueue_nd_range_kernel(queue_.get(), ours.get(), 3, nullptr, global, local, 0,
                                                           nullptr, wanted(event));
    if (error != CL_SUCCESS) {
      throw DeviceError(fmt::format("{} does not launch kernel {} ({})", info_.name, ours.name(), error_name(error)));
    }
    keep(event);
  }

  void synchronise() override { require_done(library().finish(queue_.get()), "carry out what was launched"); }

  double time_ns(const std::function<void()>& work) override {
    synchronise();
    first_ = last_ = nullptr;
    is_timing_ = true;
    try {
      work();
    } catch (...) {
      is_timing_ = false;
      throw;
    }
    is_timing_ = false;
    synchronise();
    if (first_ == nullptr) return 0;
    const auto ns =
        static_cast<double>(moment(last_, CL_PROFILING_COMMAND_END) - moment(first_, CL_PROFILING_COMMAND_START));
    first_ = last_ = nullptr;
    return ns;
  }

  DeviceConditions conditions() override { return {}; }  // OpenCL does not report any

 private:
  // PoCL aborts the process if a kernel uses more local memory than the device has.
  void check_launch(const Kernel& kernel, const LaunchSize& size, std::size_t arguments) const {
    const std::int64_t threads = size.block[0] * size.block[1] * size.block[2];
    if (threads > static_cast<std::int64_t>(kernel.max_threads())) {
      throw DeviceError(fmt::format("kernel {} is launched with {} threads a block, and {} runs at most {} of it",
                                    kernel.name(), threads, info_.name, kernel.max_threads()));
    }
    if (kernel.local_bytes() > local_memory_) {
      throw DeviceError(fmt::format("kernel {} takes {} bytes of local memory a block, and {} has {}", kernel.name(),
                                    kernel.local_bytes(), info_.name, local_memory_));
    }
    if (arguments != kernel.arguments()) {
      throw DeviceError(
          fmt::format("kernel {} takes {} arguments and is given {}", kernel.name(), kernel.arguments(), arguments));
    }
    check(size.dynamic_shared_bytes == 0, "OpenCL has no dynamic shared memory");
  }

  static void set_argument(const Kernel& kernel, cl_uint index, const LaunchArgument& argument) {
    if (const auto* memory = std::get_if<const DeviceMemory*>(&argument)) {
      const cl_mem handle = handle_of(**memory);
      require(library().set_kernel_arg(kernel.get(), index, sizeof(cl_mem), &handle), "hand over memory");
    } else {
      const cl_long number = std::get<std::int64_t>(argument);
      require(library().set_kernel_arg(kernel.get(), index, sizeof number, &number), "hand over a number");
    }
  }

  std::string build_log(cl_program program) const {
    std::size_t size = 0;
    require(library().get_program_build_info(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
            "give its compiler's messages");
    std::string log(size, '\0');
    require(library().get_program_build_info(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr),
            "give its compiler's messages");
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

  /// The place for a command's event; null unless it is timed.
  cl_event* wanted(cl_event& event) const { return is_timing_ ? &event : nullptr; }
  void keep(cl_event event) {
    if (!is_timing_) return;
    last_ = owned(event, library().release_event);
    if (first_ == nullptr) first_ = last_;
  }

  static std::int64_t moment(const Event& event, cl_profiling_info which) {
    cl_ulong ns = 0;
    require(library().get_event_profiling_info(event.get(), which, sizeof ns, &ns, nullptr), "read its clock");
    return static_cast<std::int64_t>(ns);
  }

  cl_device_id device_;
  DeviceInfo info_;
  Context context_;
  std::shared_ptr<_cl_command_queue> queue_;
  std::int64_t slice_alignment_ = 1, local_memory_ = 0;
  std::string options_ = "-cl-std=CL1.2";
  bool is_timing_ = false;
  Event first_, last_;
};

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> infos;
  for (FoundDevice& found : find_devices()) infos.push_back(std::move(found.info));
  return infos;
}

std::unique_ptr<Device> make_device(int index) {
  std::vector<FoundDevice> found = find_devices();
  if (index < 0 || static_cast<std::size_t>(index) >= found.size()) {
    throw DeviceError(fmt::format("OpenCL has no device {}: it has {}, counted from 0", index, found.size()));
  }
  return std::make_unique<OpenClDevice>(std::move(found[static_cast<std::size_t>(index)]));
}

}  // namespace nestwright::opencl
