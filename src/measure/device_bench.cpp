#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "ir/serialize.h"
#include "measure/bench.h"
#include "measure/guarded_device_memory.h"
#include "measure/guarded_region.h"
#include "measure/worker_tensors.h"
#include "runtime/device_program.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// A parameter on the device, and what the host knows of it.
struct Tensor {
  TensorLayout layout;
  GuardedDeviceMemory memory;
  std::span<const std::byte> contents;  ///< of an input
  Reference reference;                  ///< of an output
  bool is_output() const { return layout.role == ir::Role::kOutput; }
  std::int64_t bytes() const { return layout.elements * layout.type.bytes(); }
};

struct Candidate {
  std::vector<GuardedDeviceMemory> workspace;
  std::unique_ptr<DeviceProgram> program;
};

/// What the kernels of successive calls are given, one set after the other, so that a call finds nothing of its data in
/// the L2 cache. The first set is the one that results are checked in.
using TensorSet = std::vector<DeviceMemoryPtr>;
constexpr std::int64_t kMostSets = 4096;

class DeviceBench final : public Bench {
 public:
  DeviceBench(const RunnerSetup& setup, const Target& target)
      : device_(make_device(target.device)), l2_bytes_(device_->info().target.l2_bytes) {
    for (const TensorLayout& layout : setup.tensors) {
      const std::int64_t bytes = layout.elements * layout.type.bytes();
      Tensor tensor{layout, GuardedDeviceMemory(*device_, bytes), {}, {}};
      if (layout.role == ir::Role::kOutput) {
        tensor.reference = map_reference(layout);
      } else {
        inputs_.push_back(GuardedRegion::read_only(bytes, kWorkerTensorsFd, layout.first));
        tensor.contents = {static_cast<const std::byte*>(inputs_.back().buffer(Placement::kAtEnd)),
                           static_cast<std::size_t>(bytes)};
      }
      tensors_.push_back(std::move(tensor));
    }
    fill_inputs();
    TensorSet& checked = sets_.emplace_back();
    for (const Tensor& tensor : tensors_) checked.push_back(tensor.memory.buffer());
  }

  RunnerReply load(const RunnerRequest& request) override {
    return answer([&] {
      auto candidate = std::make_unique<Candidate>();
      candidate->program =
          std::make_unique<DeviceProgram>(device_, request.object.object, ir::deserialize(request.object.launches),
                                          [this, kept = candidate.get()](std::int64_t bytes) {
                                            return kept->workspace.emplace_back(*device_, bytes).buffer();
                                          });
      check(candidate->program->program().parameters.size() == tensors_.size(),
            "a program has other parameters than the task");
      candidates_.insert_or_assign(request.id, std::move(candidate));
      return RunnerReply{};
    });
  }

  // Twice: the first call may still compile, so that the faster one counts, and a race between threads need not show
  // every time.
  RunnerReply check_result(const RunnerRequest& request) override {
    return answer([&] {
      Candidate& candidate = *candidates_.at(request.id);
      RunnerReply reply;
      for (int run = 0; run < 2; ++run) {
        for (Tensor& tensor : tensors_) {
          if (tensor.is_output()) tensor.memory.poison();
        }
        for (GuardedDeviceMemory& memory : candidate.workspace) memory.poison();
        const double ns = device_->time_ns([&] { candidate.program->run(sets_.front()); });
        reply.call_ns = run == 0 ? ns : std::min(reply.call_ns, ns);
        std::string wrong = compare(candidate, reply.evidence);
        if (wrong.empty()) continue;
        fill_inputs();  // it may have written there
        return failure(Outcome::kWrongResult, std::move(wrong), reply.evidence);
      }
      reply.evidence.verified = true;
      return reply;
    });
  }

  RunnerReply sample(const RunnerRequest& request) override {
    return answer([&] {
      Candidate& candidate = *candidates_.at(request.id);
      make_sets();
      const auto call = [&](std::int64_t calls) {
        for (std::int64_t i = 0; i < calls; ++i) {
          candidate.program->run(sets_[next_set_]);
          next_set_ = (next_set_ + 1) % sets_.size();
        }
      };
      if (request.warm_up) device_->time_ns([&] { call(1); });
      RunnerReply reply;
      reply.reading.ns = device_->time_ns([&] { call(request.calls); });
      const DeviceConditions conditions = device_->conditions();
      reply.device_clock_mhz = conditions.clock_mhz;
      reply.device_temperature_c = conditions.temperature_c;
      return reply;
    });
  }

  /// A device's clock is its own, and so is its memory: no sentinel of the host sees what disturbs it.
  RunnerReply surroundings() override { return {}; }

  void unload(int id) override { candidates_.erase(id); }

 private:
  /// What a candidate makes the device refuse is its own failure; one that the device did not survive is the last.
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

  void fill_inputs() {
    for (Tensor& tensor : tensors_) {
      if (tensor.is_output()) continue;
      tensor.memory.poison();
      device_->upload(*tensor.memory.buffer(), tensor.contents);
    }
  }

  // What is wrong with what it left on the device, or nothing. Adds to the evidence.
  std::string compare(const Candidate& candidate, Evidence& evidence) const {
    for (const GuardedDeviceMemory& memory : candidate.workspace) {
      if (!memory.guards_intact()) return "it wrote outside its workspace";
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].memory.guards_intact()) return fmt::format("it wrote outside parameter {}", i);
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      std::vector<std::byte> seen(static_cast<std::size_t>(tensor.bytes()));
      device_->download(*tensor.memory.buffer(), seen);
      if (tensor.is_output()) {
        std::string wrong = judge(i, tensor.layout.type, seen.data(), tensor.reference, evidence);
        if (!wrong.empty()) return wrong;
      } else if (std::memcmp(seen.data(), tensor.contents.data(), seen.size()) != 0) {
        return fmt::format("it wrote to parameter {}, an input", i);
      }
    }
    return {};
  }

  /// As many sets as take more than twice the L2 cache together.
  void make_sets() {
    if (sets_.size() > 1) return;
    std::int64_t set_bytes = 0;
    for (const Tensor& tensor : tensors_) set_bytes += tensor.bytes();
    const std::int64_t sets = std::min(kMostSets, 2 * l2_bytes_ / set_bytes + 1);
    if (sets <= 1) return;
    std::vector<TensorSet> made(static_cast<std::size_t>(sets) - 1);
    for (const Tensor& tensor : tensors_) {
      const std::int64_t alignment = device_->slice_alignment();
      const std::int64_t step = (tensor.bytes() + alignment - 1) / alignment * alignment;
      const DeviceMemoryPtr whole = device_->allocate(step * (sets - 1));
      for (std::size_t s = 0; s < made.size(); ++s) {
        made[s].push_back(device_->slice(whole, static_cast<std::int64_t>(s) * step, tensor.bytes()));
        if (!tensor.is_output()) device_->copy(*tensor.memory.buffer(), *made[s].back());
      }
    }
    sets_.insert(sets_.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  std::shared_ptr<Device> device_;
  std::int64_t l2_bytes_;
  std::vector<GuardedRegion> inputs_;
  std::vector<Tensor> tensors_;
  std::vector<TensorSet> sets_;
  std::size_t next_set_ = 0;
  std::map<int, std::unique_ptr<Candidate>> candidates_;
};

}  // namespace

std::unique_ptr<Bench> make_device_bench(const RunnerSetup& setup, const Target& target) {
  return std::make_unique<DeviceBench>(setup, target);
}

}  // namespace nestwright
