#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <vector>

#include "measure/process/confinement.h"
#include "measure/process/protocol.h"
#include "measure/process/roles.h"
#include "measure/race/take_reading.h"
#include "measure/sequence/sequence.h"
#include "nestwright/array.h"
#include "nestwright/error.h"
#include "nestwright/kernel_abi.h"
#include "nestwright/parallel_pool.h"
#include "runtime/awake_threads.h"
#include "runtime/compiled_kernel.h"
#include "support/os/cpu_accounting.h"
#include "support/os/steal_time.h"
#include "target/measured/memory_walk.h"

namespace nestwright {
namespace {

/// The linked kernels of a sequence, and the memory that they read and write.
class SequenceBench {
 public:
  explicit SequenceBench(const SequenceSetup& setup)
      : sequence_(setup.sequence),
        pool_(make_pool(setup.threads == 1 ? PoolKind::kSerial : PoolKind::kSpin, setup.threads)) {
    read_data();
    std::int64_t workspace = 0;
    for (const CompiledObject& object : sequence_.kernels) {
      code_.push_back(load_object(object));
      workspace = std::max(workspace, workspace_bytes(object.workspace, setup.threads));
    }
    // As exported networks have it: one block in huge pages, whose pages are there before the first run.
    constexpr std::int64_t kAlignment = 64;
    const std::int64_t scratch = (sequence_.scratch_bytes + kAlignment - 1) / kAlignment * kAlignment;
    scratch_ = Array::empty(kUInt8, {scratch + workspace + kAlignment}, {.huge_pages = true});
    scratch_.fill_bytes(0);
    workspace_ = static_cast<std::byte*>(scratch_.data()) + scratch;
    for (const std::vector<SequenceCall>& step : sequence_.steps) resolve(step);
    // Threads that start with the first loop open files, which candidates may not.
    const nestwright_parallel* loops = pool_->abi();
    loops->run(loops->pool, loops->threads, [](std::int32_t, std::int32_t, void*) {}, nullptr);
    accounting_.list_threads();
  }

  SequenceReply run(const SequenceRequest& request) {
    SequenceReply reply;
    if (request.calls == 0) {
      reply.surroundings = {walk_.run(), steal_.since_last_ns()};
      return reply;
    }
    require_choice(request.choice);
    std::vector<double> steps(request.with_steps ? sequence_.steps.size() : 0);
    const ReadingPlan plan{request.calls, request.warm_up, pool_->threads() > 1 ? kThreadsWakeNs : 0};
    reply.reading = take_reading(
        steady_clock(), [this] { return accounting_.now(); }, plan,
        [&] {
          const std::int32_t result = call(request.choice, steps);
          if (result != 0) reply.result = result;
        },
        [this] { return time_fma_loops(*pool_->abi()); });
    reply.step_ns = std::move(steps);
    return reply;
  }

 private:
  /// A call with its pointers.
  struct Resolved {
    nestwright_kernel entry = nullptr;
    std::vector<void*> buffers;
  };

  /// Into huge pages, in which exported networks have their weights.
  void read_data() {
    data_ = Array::empty(kUInt8, {sequence_.data_bytes}, {.huge_pages = true});
    auto* const to = static_cast<char*>(data_.data());
    for (std::int64_t done = 0; done < sequence_.data_bytes;) {
      const ssize_t got =
          pread(kWorkerTensorsFd, to + done, static_cast<std::size_t>(sequence_.data_bytes - done), done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw Error("the data of the sequence cannot be read");
      done += got;
    }
  }

  void resolve(const std::vector<SequenceCall>& step) {
    std::vector<Resolved>& alternatives = steps_.emplace_back();
    for (const SequenceCall& call : step) {
      Resolved& resolved = alternatives.emplace_back();
      resolved.entry = reinterpret_cast<nestwright_kernel>(code_.at(static_cast<std::size_t>(call.kernel))->entry());
      for (const SequenceBuffer& buffer : call.buffers) {
        void* const begin = buffer.in == SequenceBuffer::In::kData ? data_.data() : scratch_.data();
        auto* const memory = buffer.in == SequenceBuffer::In::kNone ? nullptr : static_cast<std::byte*>(begin);
        resolved.buffers.push_back(memory == nullptr ? nullptr : memory + buffer.offset);
      }
    }
  }

  void require_choice(const std::vector<std::int64_t>& choice) const {
    bool is_known = choice.size() == steps_.size();
    for (std::size_t s = 0; is_known && s < steps_.size(); ++s) {
      is_known = choice[s] >= 0 && static_cast<std::size_t>(choice[s]) < steps_[s].size();
    }
    if (!is_known) throw UsageError("a request chooses an alternative that the sequence does not have");
  }

  /// Runs all steps once. The time of each goes to `times` if it is not empty.
  std::int32_t call(const std::vector<std::int64_t>& choice, std::vector<double>& times) {
    Clock& clock = steady_clock();
    const AwakeThreads awake(*pool_);
    std::int64_t before = times.empty() ? 0 : clock.now_ns();
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const Resolved& step = steps_[s][static_cast<std::size_t>(choice[s])];
      const std::int32_t result = step.entry(step.buffers.data(), nullptr, workspace_, pool_->abi());
      if (result != 0) return result;
      if (times.empty()) continue;
      const std::int64_t after = clock.now_ns();
      times[s] = static_cast<double>(after - before);
      before = after;
    }
    return 0;
  }

  const CallSequence sequence_;
  std::shared_ptr<ParallelPool> pool_;
  std::vector<std::unique_ptr<LoadedObject>> code_;
  Array data_, scratch_;
  void* workspace_ = nullptr;
  std::vector<std::vector<Resolved>> steps_;
  CpuAccounting accounting_;
  MemoryWalk walk_;
  StealTime steal_;
};

}  // namespace

int run_sequence_role(Channel& channel) {
  std::string message;
  channel.send(encode_hello());
  if (channel.receive(message) != Channel::Status::kMessage) return 0;
  confine_runner(DeviceKind::kCpu);
  SequenceBench bench(decode_sequence_setup(message));
  confine_candidates();
  channel.send(encode(SequenceReply{}));
  while (channel.receive(message) == Channel::Status::kMessage) {
    if (!channel.send(encode(bench.run(decode_sequence_request(message))))) throw Error("its channel was closed");
  }
  return 0;
}

}  // namespace nestwright
