#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/kernel_resources.h"
#include "ir/serialize/serialize.h"
#include "measure/check/device_checker.h"
#include "measure/check/output_checksums.h"
#include "measure/process/guarded_region.h"
#include "measure/run/bench.h"
#include "measure/run/device_warmth.h"
#include "measure/run/guarded_device_memory.h"
#include "measure/run/worker_tensors.h"
#include "nestwright/error.h"
#include "runtime/device_program.h"
#include "support/base/clock.h"
#include "support/base/round_up.h"

namespace nestwright {
namespace {

/// The expected values of an output, kept on the device.
struct KeptReference {
  DeviceMemoryPtr expected, bound;  ///< doubles; no bounds: the values must be exact
  std::uint64_t digest = 0;         ///< of both, as DeviceChecker::compare computes it
};

/// A parameter on the device with the values of one set of inputs, and the host's data about it. All sets share the
/// memory of outputs.
struct Tensor {
  TensorLayout layout;
  std::shared_ptr<GuardedDeviceMemory> memory;
  std::span<const std::byte> contents;  ///< inputs only
  ExpectedOutput reference;             ///< outputs only
  std::uint64_t digest = 0;             ///< of an input's values, if they are compared on the device
  std::shared_ptr<KeptReference> kept;  ///< outputs only; null: compared on the host
  bool is_output() const { return layout.role == ir::Role::kOutput; }
  std::int64_t bytes() const { return layout.elements * layout.type.bytes(); }
};
using Tensors = std::vector<Tensor>;

struct LinkedDeviceKernel {
  std::vector<GuardedDeviceMemory> workspace;
  std::unique_ptr<DeviceProgram> program;
  OutputChecksums checksums;  ///< of the correct result of the uniform set
};

/// The memory of each parameter, in the order of the program's parameters.
using Arguments = std::vector<DeviceMemoryPtr>;
constexpr std::int64_t kMaxCopies = 4096;
constexpr std::int64_t kReferenceShare = 4;                 // expected values may use a quarter of the device's memory
constexpr std::size_t kSliceBytes = std::size_t{16} << 20;  // per checksum on the device, about 10 us

std::vector<ir::Type> output_types(const RunnerSetup& setup) {
  std::vector<ir::Type> types;
  for (const TensorLayout& layout : setup.tensors) {
    if (layout.role == ir::Role::kOutput) types.push_back(layout.type);
  }
  return types;
}

/// Opens the first device of that kind. Throws DeviceError if it is another one than the setup says: where a driver
/// does not start in a worker, the next driver's device is the first.
std::shared_ptr<Device> open_device(const RunnerSetup& setup, const Target& target) {
  std::shared_ptr<Device> device = make_device(target.device);
  const std::string found = device->info().str();
  if (setup.device.empty() || found == setup.device) return device;
  throw DeviceError(fmt::format("it finds the device {}, but {} is meant", found, setup.device));
}

class DeviceBench final : public Bench {
 public:
  DeviceBench(const RunnerSetup& setup, const Target& target)
      : device_(open_device(setup, target)),
        l2_bytes_(device_->info().target.l2_bytes),
        checker_(DeviceChecker::make(device_, setup.checker, output_types(setup))) {
    for (const TensorLayout& layout : setup.tensors) {
      Tensor tensor{layout, {}, {}, {}};
      tensor.memory = std::make_shared<GuardedDeviceMemory>(*device_, tensor.bytes());
      if (tensor.is_output()) {
        tensor.reference = map_expected(layout, InputSet::kUniform);
        keep_reference(tensor);
      } else {
        tensor.contents = map_values(tensor, InputSet::kUniform);
      }
      uniform_.push_back(std::move(tensor));
    }
    sets_[index_of(InputSet::kUniform)] = &uniform_;
    fill_inputs(uniform_);
    take_digests(uniform_);
    copies_.push_back(arguments(uniform_));
  }

  RunnerReply load(const RunnerRequest& request) override {
    return answer([&] {
      auto candidate = std::make_unique<LinkedDeviceKernel>();
      if (checker_) candidate->checksums = OutputChecksums(kSliceBytes);
      candidate->program =
          std::make_unique<DeviceProgram>(device_, request.object.object, ir::deserialize(request.object.launches),
                                          [this, kept = candidate.get()](std::int64_t bytes) {
                                            return kept->workspace.emplace_back(*device_, bytes).buffer();
                                          });
      check(candidate->program->program().parameters.size() == uniform_.size(),
            "a program has other parameters than the task");
      RunnerReply reply;
      reply.resources = resources_of(*candidate->program);
      candidates_.insert_or_assign(request.id, std::move(candidate));
      return reply;
    });
  }

  // Calls the candidate at least twice: the first call may still compile, so the fastest one counts, and a race between
  // threads may not show every time.
  RunnerReply check_result(const RunnerRequest& request) override {
    return answer([&] {
      LinkedDeviceKernel& candidate = *candidates_.at(request.id);
      RunnerReply reply;
      std::string wrong = check_call(candidate, tensors(InputSet::kIntegers), reply);
      if (wrong.empty() && request.thorough && has_set(uniform_.front().layout, InputSet::kWide)) {
        wrong = check_call(candidate, tensors(InputSet::kWide), reply);
      }
      if (wrong.empty()) wrong = check_call(candidate, uniform_, reply);
      if (wrong.empty()) take_checksums(candidate, arguments(uniform_));
      if (wrong.empty() && request.thorough) {
        wrong = check_call(candidate, uniform_, reply, false);
        if (!wrong.empty()) wrong = "in a second call, " + wrong;
      }
      if (!wrong.empty()) return failure(Outcome::kWrongResult, std::move(wrong), reply.evidence);
      reply.evidence.verified = true;
      return reply;
    });
  }

  RunnerReply sample(const RunnerRequest& request) override {
    return answer([&] {
      LinkedDeviceKernel& candidate = *candidates_.at(request.id);
      make_copies();
      const auto call = [&](std::int64_t calls) {
        for (std::int64_t i = 0; i < calls; ++i) {
          candidate.program->run(copies_[next_copy_]);
          next_copy_ = (next_copy_ + 1) % copies_.size();
        }
      };
      const std::int64_t start = steady_clock().now_ns(), warm_up_ns = warmth_.warm_up_ns(start);
      while (steady_clock().now_ns() - start < warm_up_ns) device_->time_ns([&] { call(request.calls); });
      const auto calls = static_cast<std::size_t>(request.calls + (request.warm_up ? 1 : 0));
      const Arguments& last = copies_[(next_copy_ + calls - 1) % copies_.size()];
      if (!candidate.checksums.are_known()) poison_outputs(last);
      if (request.warm_up) device_->time_ns([&] { call(1); });
      RunnerReply reply;
      reply.reading.ns = device_->time_ns([&] { call(request.calls); });
      warmth_.worked(steady_clock().now_ns());
      const DeviceConditions conditions = device_->conditions();
      reply.device_clock_mhz = conditions.clock_mhz;
      reply.device_temperature_c = conditions.temperature_c;
      const std::string wrong = compare_with_checked(candidate, last);
      if (!wrong.empty()) return failure(Outcome::kWrongResult, "in a later call, " + wrong);
      return reply;
    });
  }

  /// The sentinels of the host do not see what disturbs a device, which has its own clock and memory.
  RunnerReply surroundings() override { return {}; }

  void unload(int id) override { candidates_.erase(id); }

 private:
  /// Turns an error of the device into a failure of the candidate; a lost device makes it the last one in this process.
  template <class Work>
  static RunnerReply answer(const Work& work) {
    try {
      return work();
    } catch (const DeviceLostError& e) {
      RunnerReply reply = failure(Outcome::kLaunchError, e.what());
      reply.is_lost = true;
      return reply;
    } catch (const Error& e) {
      return failure(Outcome::kLaunchError, e.what());
    }
  }

  /// The resources of each kernel; empty if the driver does not report them.
  static std::vector<KernelResources> resources_of(const DeviceProgram& program) {
    std::vector<KernelResources> result;
    const std::vector<ir::Kernel>& kernels = program.program().kernels;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::optional<KernelUsage> usage = program.usage(k);
      if (!usage) return {};
      result.push_back(codegen::complete({.kernel = kernels[k].name,
                                          .registers = usage->registers,
                                          .stack_bytes = usage->local_bytes,
                                          .shared_bytes = usage->shared_bytes},
                                         kernels[k], program.device().info().target, false));
    }
    return result;
  }

  /// Maps the values of an input in the tensor file.
  std::span<const std::byte> map_values(const Tensor& tensor, InputSet set) {
    return mappings_.emplace_back(map_input(tensor.layout, set)).values;
  }

  /// The parameters with the values of that set, or of the uniform one if the task does not have it. They are copied to
  /// the device on first use.
  Tensors& tensors(InputSet set) {
    Tensors*& known = sets_[index_of(set)];
    if (known != nullptr) return *known;
    if (!has_set(uniform_.front().layout, set)) return *(known = &uniform_);
    Tensors made = uniform_;
    for (Tensor& tensor : made) {
      if (tensor.is_output()) {
        tensor.reference = map_expected(tensor.layout, set);
        tensor.kept = nullptr;
        keep_reference(tensor);
      } else {
        tensor.memory = std::make_shared<GuardedDeviceMemory>(*device_, tensor.bytes());
        tensor.contents = map_values(tensor, set);
      }
    }
    fill_inputs(made);
    take_digests(made);
    return *(known = &others_.emplace_back(std::move(made)));
  }

  /// Keeps the expected values of an output on the device, if it has room and compares results there.
  void keep_reference(Tensor& tensor) {
    const auto expected = static_cast<std::int64_t>(tensor.reference.expected.size_bytes()),
               bound = static_cast<std::int64_t>(tensor.reference.bound.size_bytes());
    if (!checker_ || tensor.reference.large ||
        kept_bytes_ + expected + bound > device_->info().memory_bytes / kReferenceShare)
      return;
    auto kept = std::make_shared<KeptReference>();
    try {
      kept->expected = device_->allocate(expected);
      if (bound > 0) kept->bound = device_->allocate(bound);
    } catch (const DeviceLostError&) {
      throw;
    } catch (const DeviceError&) {
      return;  // there is no room
    }
    kept_bytes_ += expected + bound;
    tensor.kept = std::move(kept);
    upload_reference(tensor);
    tensor.kept->digest = compare_on_device(tensor, *tensor.memory->buffer()).digest;
  }

  void upload_reference(const Tensor& tensor) {
    device_->upload(*tensor.kept->expected, std::as_bytes(tensor.reference.expected));
    if (tensor.kept->bound) device_->upload(*tensor.kept->bound, std::as_bytes(tensor.reference.bound));
  }

  /// Compares an output with the expected values on the device in their current state.
  DeviceSummary compare_on_device(const Tensor& tensor, const DeviceMemory& got) {
    checker_->compare(tensor.layout.type, got, *tensor.kept->expected, tensor.kept->bound.get(),
                      tensor.layout.elements);
    return checker_->finish().at(0);
  }

  /// Records the digests of inputs that have just been filled.
  void take_digests(Tensors& tensors) {
    if (!checker_) return;
    for (Tensor& tensor : tensors) {
      if (!tensor.is_output()) tensor.digest = digest(*tensor.memory->buffer(), 0, tensor.bytes());
    }
  }

  std::uint64_t digest(const DeviceMemory& memory, std::int64_t offset, std::int64_t bytes) {
    checker_->digest(memory, offset, bytes);
    return checker_->finish().at(0).digest;
  }

  static Arguments arguments(const Tensors& tensors) {
    Arguments list;
    for (const Tensor& tensor : tensors) list.push_back(tensor.memory->buffer());
    return list;
  }

  void fill_inputs(const Tensors& tensors) {
    for (const Tensor& tensor : tensors) {
      if (tensor.is_output()) continue;
      tensor.memory->poison();
      device_->upload(*tensor.memory->buffer(), tensor.contents);
    }
  }

  /// Makes a call and returns what is wrong with its result; empty if nothing is. Without `poison_workspace` the call
  /// finds the workspace as the previous one left it. Adds to the evidence.
  std::string check_call(LinkedDeviceKernel& candidate, const Tensors& tensors, RunnerReply& reply,
                         bool poison_workspace = true) {
    for (const Tensor& tensor : tensors) {
      if (tensor.is_output()) tensor.memory->poison();
    }
    if (poison_workspace) {
      for (GuardedDeviceMemory& memory : candidate.workspace) memory.poison();
    }
    const double ns = device_->time_ns([&] { candidate.program->run(arguments(tensors)); });
    reply.call_ns = reply.call_ns > 0 ? std::min(reply.call_ns, ns) : ns;
    std::string wrong = compare(candidate, tensors, reply.evidence);
    if (!wrong.empty()) fill_inputs(tensors);  // it may have overwritten the inputs
    return wrong;
  }

  // Returns what is wrong on the device after a call; empty if nothing is. Keeps the outputs. Adds to the evidence.
  std::string compare(const LinkedDeviceKernel& candidate, const Tensors& tensors, Evidence& evidence) {
    std::string wrong = checker_ ? stray_write_on_device(candidate, tensors) : stray_write(candidate, tensors);
    return wrong.empty() ? check_outputs(tensors, arguments(tensors), evidence) : wrong;
  }

  /// Returns a message about writes outside the outputs, detected on the device; empty if there are none.
  std::string stray_write_on_device(const LinkedDeviceKernel& candidate, const Tensors& tensors) {
    for (const GuardedDeviceMemory& memory : candidate.workspace) memory.queue_guards(*checker_);
    for (const Tensor& tensor : tensors) tensor.memory->queue_guards(*checker_);
    for (const Tensor& tensor : tensors) {
      if (!tensor.is_output()) checker_->digest(*tensor.memory->buffer(), 0, tensor.bytes());
    }
    const std::vector<DeviceSummary> found = checker_->finish();
    auto next = found.begin();
    const auto are_intact = [&](const GuardedDeviceMemory& memory) {
      next += 2;
      return memory.are_intact(*(next - 2), *(next - 1));
    };
    for (const GuardedDeviceMemory& memory : candidate.workspace) {
      if (!are_intact(memory)) return "it wrote outside its workspace";
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!are_intact(*tensors[i].memory)) return fmt::format("it wrote outside parameter {}", i);
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].is_output() && (next++)->digest != tensors[i].digest) {
        return fmt::format("it wrote to parameter {}, an input", i);
      }
    }
    return {};
  }

  /// Returns a message about writes outside the outputs, detected on the host; empty if there are none.
  std::string stray_write(const LinkedDeviceKernel& candidate, const Tensors& tensors) {
    for (const GuardedDeviceMemory& memory : candidate.workspace) {
      if (!memory.guards_intact()) return "it wrote outside its workspace";
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].memory->guards_intact()) return fmt::format("it wrote outside parameter {}", i);
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      if (tensor.is_output()) continue;
      std::vector<std::byte> seen(static_cast<std::size_t>(tensor.bytes()));
      device_->download(*tensor.memory->buffer(), seen);
      if (std::memcmp(seen.data(), tensor.contents.data(), seen.size()) != 0) {
        return fmt::format("it wrote to parameter {}, an input", i);
      }
    }
    return {};
  }

  /// Returns what is wrong with the outputs among the arguments; empty if nothing is. Keeps them. Adds to the evidence.
  std::string check_outputs(const Tensors& tensors, const Arguments& arguments, Evidence& evidence) {
    outputs_.clear();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      if (!tensor.is_output()) continue;
      if (tensor.kept) {
        std::string wrong = check_on_device(i, tensor, *arguments[i], evidence);
        if (!wrong.empty()) return wrong;
        continue;
      }
      std::vector<std::byte>& seen = outputs_.emplace_back(static_cast<std::size_t>(tensor.bytes()));
      device_->download(*arguments[i], seen);
      std::string wrong = explain_mismatch(i, tensor.layout.type, seen.data(), tensor.reference, evidence);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  /// Returns what is wrong with an output; empty if nothing is. Restores the expected values if a kernel, this one or
  /// an earlier one, has overwritten them.
  std::string check_on_device(std::size_t parameter, const Tensor& tensor, const DeviceMemory& got,
                              Evidence& evidence) {
    DeviceSummary found = compare_on_device(tensor, got);
    if (found.digest != tensor.kept->digest) {
      upload_reference(tensor);
      found = compare_on_device(tensor, got);
    }
    double value = 0;
    if (const std::int64_t at = found.comparison.first_wrong; at >= 0) {
      std::array<std::byte, 8> element{};
      const int bytes = tensor.layout.type.bytes();
      device_->download(got, std::span(element).first(static_cast<std::size_t>(bytes)), at * bytes);
      value = element_at(tensor.layout.type, element.data(), 0);
    }
    return explain_mismatch(parameter, found.comparison, value, tensor.reference, evidence);
  }

  /// Records the checksums of the outputs among the arguments, which were found right.
  void take_checksums(LinkedDeviceKernel& candidate, const Arguments& arguments) {
    if (!checker_) {
      candidate.checksums.take(results());
      return;
    }
    std::vector<std::size_t> bytes;
    for (const Tensor& tensor : uniform_) {
      if (tensor.is_output()) bytes.push_back(static_cast<std::size_t>(tensor.bytes()));
    }
    candidate.checksums.take(bytes, [&](const OutputChecksums::Slice& slice) { return digest_of(slice, arguments); });
  }

  std::uint64_t digest_of(const OutputChecksums::Slice& slice, const Arguments& arguments) {
    return digest(*arguments[output_parameter(slice.output)], static_cast<std::int64_t>(slice.offset),
                  static_cast<std::int64_t>(slice.bytes));
  }

  bool next_slice_is_unchanged(LinkedDeviceKernel& candidate, const Arguments& arguments) {
    const OutputChecksums::Slice next = candidate.checksums.next();
    if (checker_) return candidate.checksums.next_is_unchanged(digest_of(next, arguments));
    std::vector<std::byte> seen(next.bytes);
    device_->download(*arguments[output_parameter(next.output)], seen, static_cast<std::int64_t>(next.offset));
    return candidate.checksums.next_is_unchanged(seen);
  }

  /// The outputs that were last copied to the host.
  std::vector<std::span<const std::byte>> results() const { return {outputs_.begin(), outputs_.end()}; }

  void poison_outputs(const Arguments& arguments) {
    for (std::size_t i = 0; i < uniform_.size(); ++i) {
      if (uniform_[i].is_output()) device_->fill(*arguments[i], GuardedRegion::kCanary);
    }
  }

  /// Returns what is wrong with the result of the last call of a sample, which had these arguments; empty if nothing
  /// is. The whole result is compared if a slice differs in any bit from the checked one, or if none was checked in
  /// this process.
  std::string compare_with_checked(LinkedDeviceKernel& candidate, const Arguments& arguments) {
    if (candidate.checksums.are_known() && next_slice_is_unchanged(candidate, arguments)) return {};
    Evidence evidence;
    std::string wrong = check_outputs(uniform_, arguments, evidence);
    if (wrong.empty()) take_checksums(candidate, arguments);
    return wrong;
  }

  /// Returns the number of the parameter that is output number `output`.
  std::size_t output_parameter(std::size_t output) const {
    for (std::size_t i = 0; i < uniform_.size(); ++i) {
      if (uniform_[i].is_output() && output-- == 0) return i;
    }
    throw InternalError("internal error: a result has fewer outputs than the one that was checked");
  }

  /// Makes as many copies of the tensors as together exceed twice the L2 cache. The calls of a sample cycle through
  /// them, so that none finds its data in the cache. Results are checked in the first copy.
  void make_copies() {
    if (copies_.size() > 1) return;
    std::int64_t copy_bytes = 0;
    for (const Tensor& tensor : uniform_) copy_bytes += tensor.bytes();
    const std::int64_t copies = std::min(kMaxCopies, 2 * l2_bytes_ / copy_bytes + 1);
    if (copies <= 1) return;
    std::vector<Arguments> made(static_cast<std::size_t>(copies) - 1);
    for (const Tensor& tensor : uniform_) {
      const std::int64_t step = round_up(tensor.bytes(), device_->slice_alignment());
      const DeviceMemoryPtr whole = device_->allocate(step * (copies - 1));
      if (tensor.is_output()) device_->fill(*whole, GuardedRegion::kCanary);  // gaps between rows are never written
      for (std::size_t s = 0; s < made.size(); ++s) {
        made[s].push_back(device_->slice(whole, static_cast<std::int64_t>(s) * step, tensor.bytes()));
        if (!tensor.is_output()) device_->copy(*tensor.memory->buffer(), *made[s].back());
      }
    }
    copies_.insert(copies_.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  std::shared_ptr<Device> device_;
  std::int64_t l2_bytes_;
  std::unique_ptr<DeviceChecker> checker_;  ///< null: results are compared on the host
  std::int64_t kept_bytes_ = 0;             ///< of the expected values on the device
  std::vector<MappedInput> mappings_;
  Tensors uniform_;
  std::list<Tensors> others_;
  std::array<Tensors*, kInputSets> sets_{};  ///< those used so far
  std::vector<Arguments> copies_;
  std::size_t next_copy_ = 0;
  DeviceWarmth warmth_;
  std::vector<std::vector<std::byte>> outputs_;
  std::map<int, std::unique_ptr<LinkedDeviceKernel>> candidates_;
};

}  // namespace

std::unique_ptr<Bench> make_device_bench(const RunnerSetup& setup, const Target& target) {
  return std::make_unique<DeviceBench>(setup, target);
}

}  // namespace nestwright
