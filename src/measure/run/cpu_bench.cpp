#include "measure/run/bench.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "measure/check/output_checksums.h"
#include "measure/process/guarded_region.h"
#include "measure/race/take_reading.h"
#include "measure/run/buffer_copies.h"
#include "measure/run/stream_state.h"
#include "measure/run/worker_tensors.h"
#include "nestwright/error.h"
#include "runtime/compiled_kernel.h"
#include "support/os/cpu_accounting.h"
#include "support/os/steal_time.h"
#include "target/description/host.h"
#include "target/description/tile_permission.h"
#include "target/measured/memory_walk.h"

namespace nestwright {

namespace {

// The state for the signal handler, set before a kernel is called.
struct Watched {
  std::span<GuardedRegion* const> parameters;
  const GuardedRegion* workspace = nullptr;
};
Watched watched;
FaultRecord* fault_record = nullptr;

// Records a refused system call in shared memory, then raises the signal again with its default action.
void record_refusal(int, siginfo_t* info, void*) {
  FaultRecord record{1, -2, 0, info->si_syscall};
  if (fault_record) *fault_record = record;
  raise(SIGSYS);
}

// Records the location of a fault in shared memory. SA_RESETHAND has restored the default action, so that the
// instruction faults again and ends the process.
void record_fault(int, siginfo_t* info, void*) {
  FaultRecord record{1, -2, 0, -1};
  const auto look = [&](const GuardedRegion* region, int parameter) {
    const GuardedRegion::Fault fault = region->classify(info->si_addr);
    if (fault == GuardedRegion::Fault::kElsewhere) return;
    record.parameter = parameter;
    record.side = static_cast<int>(fault);
  };
  if (watched.workspace) look(watched.workspace, -1);
  for (std::size_t i = 0; i < watched.parameters.size(); ++i) look(watched.parameters[i], static_cast<int>(i));
  if (fault_record) *fault_record = record;
}

void install_fault_handler() {
  void* page = mmap(nullptr, sizeof(FaultRecord), PROT_READ | PROT_WRITE, MAP_SHARED, kWorkerFaultFd, 0);
  if (page == MAP_FAILED) throw Error("the runner cannot map its fault record");
  fault_record = static_cast<FaultRecord*>(page);
  // An alternative stack, for a kernel that overflowed the ordinary one.
  static char stack[64 << 10];
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = record_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  action.sa_sigaction = record_refusal;
  sigaction(SIGSYS, &action, nullptr);
}

constexpr std::int64_t kPoisonedTogether = std::int64_t{64} << 20;  ///< bytes that one thread fills

constexpr std::array kAllSets{InputSet::kIntegers, InputSet::kUniform, InputSet::kWide};

/// Samples use the uniform set, placed at the start, where buffers are aligned as a caller's are.
Placement placement_of(InputSet set) { return set == InputSet::kUniform ? Placement::kAtStart : Placement::kAtEnd; }

/// A parameter's memory and its references. An output has one region, within which it moves from one placement to the
/// other; an input has a region for each set of values.
struct Tensor {
  TensorLayout layout;
  std::map<std::int64_t, GuardedRegion> regions;  ///< by offset in the tensor file; an output has one, at 0
  std::array<ExpectedOutput, kInputSets> references;
  bool is_output() const { return layout.role == ir::Role::kOutput; }
  std::int64_t bytes() const { return layout.elements * layout.type.bytes(); }
  std::int64_t offset(InputSet set) const {
    if (is_output()) return 0;
    const std::int64_t at_end = values_at_end(layout, set);
    return set == InputSet::kUniform || at_end < 0 ? layout.second : at_end;
  }
  GuardedRegion& region(InputSet set) { return regions.at(offset(set)); }
};

std::span<std::byte> bytes_at(void* buffer, std::int64_t bytes) {
  return {static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)};
}

Tensor map_tensor(const TensorLayout& layout) {
  const std::int64_t bytes = layout.elements * layout.type.bytes();
  Tensor tensor{layout, {}, {}};
  for (const InputSet set : kAllSets) {
    if (tensor.is_output()) tensor.references[index_of(set)] = map_expected(layout, set);
    const std::int64_t offset = tensor.offset(set);
    if (tensor.regions.contains(offset)) continue;
    tensor.regions.emplace(offset, tensor.is_output() ? GuardedRegion::writable(bytes)
                                                      : GuardedRegion::read_only(bytes, kWorkerTensorsFd, offset));
  }
  return tensor;
}

struct LinkedKernel {
  std::unique_ptr<LoadedObject> code;
  GuardedRegion workspace;
  std::vector<GuardedRegion> prepared;
  std::array<std::vector<GuardedRegion*>, kInputSets> regions;  ///< of the tensors, then of the prepared parameters
  std::array<std::vector<void*>, kInputSets> buffers;           ///< likewise
  std::optional<InputSet> prepared_for;
  bool is_part = false;       ///< as RunnerRequest::is_part
  std::int32_t result = 0;    ///< of the last call that did not return 0
  OutputChecksums checksums;  ///< of the correct result of the uniform set
};

/// The buffers of the calls of a sample: `width` pointers for each of the copies through which calls rotate.
struct CallBuffers {
  std::size_t width = 0;
  std::vector<void*> pointers;
  std::size_t copies() const { return pointers.size() / width; }
  std::span<void* const> of(std::size_t copy) const { return std::span(pointers).subspan(copy * width, width); }
};

class CpuBench final : public Bench {
 public:
  explicit CpuBench(const RunnerSetup& setup)
      : caches_(setup.caches), last_cache_bytes_(last_cache_bytes()), pool_(make_pool(setup.pool, setup.threads)) {
    for (const TensorLayout& layout : setup.tensors) tensors_.push_back(map_tensor(layout));
    copies_.resize(tensors_.size());
    // Threads that start with the first loop open files, which candidates may not.
    const nestwright_parallel* loops = pool_->abi();
    loops->run(loops->pool, loops->threads, [](std::int32_t, std::int32_t, void*) {}, nullptr);
    accounting_.list_threads();
  }

  RunnerReply load(const RunnerRequest& request) override {
    try {
      const std::int64_t bytes = workspace_bytes(request.object.workspace, pool_->threads());
      LinkedKernel candidate{load_object(request.object), GuardedRegion::writable(bytes)};
      for (const std::int64_t each : request.object.prepared_bytes) {
        candidate.prepared.push_back(GuardedRegion::writable(each));
      }
      LinkedKernel& kept = candidates_.emplace(request.id, std::move(candidate)).first->second;
      for (const InputSet set : kAllSets) place(kept, set);
      // A part reads elements that it never stores: their pages would all be the one page of zeros, which stays in the
      // caches.
      kept.is_part = request.is_part;
      if (kept.is_part) poison(kept.workspace);
      return {};
    } catch (const std::exception& e) {
      return failure(Outcome::kLaunchError, e.what());
    }
  }

  RunnerReply check_result(const RunnerRequest& request) override {
    LinkedKernel& candidate = candidates_.at(request.id);
    RunnerReply reply;
    // The uniform set comes last, because samples compare with its result in the outputs.
    for (const InputSet set : {InputSet::kIntegers, InputSet::kWide, InputSet::kUniform}) {
      const bool has_wide = has_set(tensors_.front().layout, InputSet::kWide);
      if (set == InputSet::kWide && !(request.thorough && has_wide)) continue;
      poison_outputs(candidate, set);
      watch(candidate, set);
      poison(candidate.workspace);
      prepare(candidate, set);
      const bool stayed_inside = candidate.workspace.gaps_intact(placement_of(set));
      poison(candidate.workspace);
      const double ns = time_once(steady_clock(), [&] { call(candidate, set); });
      reply.call_ns = reply.call_ns > 0 ? std::min(reply.call_ns, ns) : ns;
      if (candidate.result != 0) return failed_call(candidate);
      if (!stayed_inside || !candidate.workspace.gaps_intact(placement_of(set))) {
        return failure(Outcome::kWrongResult, "it wrote outside its workspace", reply.evidence);
      }
      std::string wrong = compare(candidate, set, reply.evidence);
      if (!wrong.empty()) return failure(Outcome::kWrongResult, std::move(wrong), reply.evidence);
    }
    candidate.checksums.take(outputs(candidate.buffers[index_of(InputSet::kUniform)]));
    if (request.thorough) {
      const std::string wrong = repeat(candidate, reply.evidence);
      if (candidate.result != 0) return failed_call(candidate);
      if (!wrong.empty()) return failure(Outcome::kWrongResult, "in a second call, " + wrong, reply.evidence);
    }
    reply.evidence.verified = true;
    return reply;
  }

  RunnerReply sample(const RunnerRequest& request) override {
    LinkedKernel& candidate = candidates_.at(request.id);
    watch(candidate, InputSet::kUniform);
    prepare(candidate, InputSet::kUniform);
    if (!candidate.is_part && !candidate.checksums.are_known()) poison_outputs(candidate, InputSet::kUniform);
    const CallBuffers buffers = call_buffers(request.id, candidate);
    const StreamState stream = stream_state(candidate, buffers.of(0));
    ReadingPlan plan{request.calls, request.warm_up, pool_->threads() > 1 ? kThreadsWakeNs : 0};
    if (caches_ == CacheState::kStream) plan.before_call = [&] { stream.establish(*pool_->abi()); };
    const std::size_t copies = buffers.copies();
    std::size_t next = next_copy_ % copies, last = 0;
    RunnerReply reply;
    reply.reading = take_reading(
        steady_clock(), [this] { return accounting_.now(); }, plan,
        [&] {
          last = next;
          if (++next == copies) next = 0;
          enter(candidate, candidate.code->entry(), buffers.of(last), InputSet::kUniform);
        },
        [this] { return time_fma_loops(*pool_->abi()); });
    next_copy_ = next;
    if (candidate.result != 0) return failed_call(candidate);
    if (candidate.is_part) return reply;
    const std::string wrong = compare_with_checked(candidate, buffers.of(last));
    if (!wrong.empty()) return failure(Outcome::kWrongResult, "in a later call, " + wrong);
    return reply;
  }

  RunnerReply surroundings() override {
    RunnerReply reply;
    reply.surroundings = {walk_.run(), steal_.since_last_ns()};
    return reply;
  }

  void unload(int id) override {
    candidates_.erase(id);
    if (prepared_copies_are_of_ == id) prepared_copies_are_of_ = -1;
  }

 private:
  void place(LinkedKernel& candidate, InputSet set) {
    std::vector<GuardedRegion*>& regions = candidate.regions[index_of(set)];
    for (Tensor& tensor : tensors_) regions.push_back(&tensor.region(set));
    for (GuardedRegion& region : candidate.prepared) regions.push_back(&region);
    for (const GuardedRegion* region : regions) {
      candidate.buffers[index_of(set)].push_back(region->buffer(placement_of(set)));
    }
  }

  void enter(LinkedKernel& candidate, void* entry, std::span<void* const> buffers, InputSet set) {
    const auto kernel = reinterpret_cast<nestwright_kernel>(entry);
    const std::int32_t result =
        kernel(buffers.data(), nullptr, candidate.workspace.buffer(placement_of(set)), pool_->abi());
    if (result != 0) candidate.result = result;
  }

  void call(LinkedKernel& candidate, InputSet set) {
    enter(candidate, candidate.code->entry(), candidate.buffers[index_of(set)], set);
  }

  /// Whether calls read the tensor itself: not a constant that the candidate has prepared.
  bool is_read(std::size_t tensor, const LinkedKernel& candidate) const {
    return !tensors_[tensor].layout.is_constant || candidate.prepared.empty();
  }

  /// Whether calls of a sample get copies of the tensor: all that they touch if the caches are to be cold, and inputs
  /// that are written between the layers of a network.
  bool is_copied(std::size_t tensor, const LinkedKernel& candidate) const {
    if (caches_ == CacheState::kCold) return is_read(tensor, candidate);
    return caches_ == CacheState::kStream && !tensors_[tensor].is_output() && !tensors_[tensor].layout.is_constant;
  }

  std::int64_t copies_for(const LinkedKernel& candidate) const {
    if (caches_ != CacheState::kCold) return 1;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (is_read(i, candidate)) bytes += GuardedRegion::padded(tensors_[i].bytes());
    }
    for (const GuardedRegion& region : candidate.prepared) bytes += GuardedRegion::padded(region.bytes());
    return copies_beyond_cache(bytes, last_cache_bytes_);
  }

  CallBuffers call_buffers(int id, const LinkedKernel& candidate) {
    const std::vector<void*>& own = candidate.buffers[index_of(InputSet::kUniform)];
    const std::int64_t copies = copies_for(candidate);
    CallBuffers buffers{own.size(), {}};
    for (std::int64_t c = 0; c < copies; ++c) buffers.pointers.insert(buffers.pointers.end(), own.begin(), own.end());
    const auto replace = [&](std::size_t parameter, const BufferCopies& by) {
      for (std::int64_t c = 0; c < copies; ++c) {
        buffers.pointers[static_cast<std::size_t>(c) * own.size() + parameter] = by.at(c);
      }
    };
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!is_copied(i, candidate)) continue;
      const bool are_new = copies_[i].provide(copies, bytes_at(own[i], tensors_[i].bytes()));
      if (are_new && tensors_[i].is_output()) copies_[i].fill(GuardedRegion::kCanary);
      replace(i, copies_[i]);
    }
    if (caches_ != CacheState::kCold) return buffers;
    // Those of one candidate at a time: together with those of others they could fill the memory.
    prepared_copies_.resize(std::max(prepared_copies_.size(), candidate.prepared.size()));
    for (std::size_t i = 0; i < candidate.prepared.size(); ++i) {
      void* const prepared = own[tensors_.size() + i];
      if (prepared_copies_are_of_ != id) {
        prepared_copies_[i].refill(copies, bytes_at(prepared, candidate.prepared[i].bytes()));
      }
      replace(tensors_.size() + i, prepared_copies_[i]);
    }
    if (!candidate.prepared.empty()) prepared_copies_are_of_ = id;
    return buffers;
  }

  StreamState stream_state(const LinkedKernel& candidate, std::span<void* const> buffers) const {
    std::vector<std::span<std::byte>> written;
    std::vector<std::span<const std::byte>> evicted;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (is_copied(i, candidate)) {
        written.push_back(bytes_at(buffers[i], tensors_[i].bytes()));
      } else if (tensors_[i].layout.is_constant) {
        evicted.push_back(bytes_at(buffers[i], tensors_[i].bytes()));
      }
    }
    for (std::size_t i = 0; i < candidate.prepared.size(); ++i) {
      evicted.push_back(bytes_at(buffers[tensors_.size() + i], candidate.prepared[i].bytes()));
    }
    return {std::move(written), std::move(evicted)};
  }

  /// Ensures that the prepared parameters were computed from that set.
  void prepare(LinkedKernel& candidate, InputSet set) {
    if (candidate.prepared.empty() || candidate.prepared_for == set) return;
    for (GuardedRegion& region : candidate.prepared) poison(region);
    enter(candidate, candidate.code->preparation(), candidate.buffers[index_of(set)], set);
    candidate.prepared_for = set;
  }

  void watch(const LinkedKernel& candidate, InputSet set) {
    watched = {candidate.regions[index_of(set)], &candidate.workspace};
  }

  // Returns what is wrong with the outputs; empty if nothing is. Adds to the evidence.
  std::string compare(const LinkedKernel& candidate, InputSet set, Evidence& evidence) const {
    return compare(candidate, set, candidate.buffers[index_of(set)], evidence);
  }

  // The same for the outputs among `buffers`.
  std::string compare(const LinkedKernel& candidate, InputSet set, std::span<void* const> buffers,
                      Evidence& evidence) const {
    const std::size_t s = index_of(set);
    for (std::size_t i = 0; i < candidate.regions[s].size(); ++i) {
      const bool is_input = i < tensors_.size() && !tensors_[i].is_output();
      if (!is_input && !candidate.regions[s][i]->gaps_intact(placement_of(set))) {
        return fmt::format("it wrote outside parameter {}", i);
      }
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (!tensor.is_output()) continue;
      std::string wrong =
          explain_mismatch(i, tensor.layout.type, buffers[i], tensor.references[s], evidence, run_parts());
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  /// Runs the parts of a comparison on the threads of the pool.
  RunParts run_parts() const {
    return [this](std::int64_t parts, const std::function<void(std::int64_t)>& f) {
      const nestwright_parallel* loops = pool_->abi();
      auto body = [](std::int32_t part, std::int32_t, void* closure) {
        (*static_cast<const std::function<void(std::int64_t)>*>(closure))(part);
      };
      loops->run(loops->pool, static_cast<std::int32_t>(parts), body, const_cast<void*>(static_cast<const void*>(&f)));
    };
  }

  void poison_outputs(LinkedKernel& candidate, InputSet set) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].is_output()) poison(*candidate.regions[index_of(set)][i]);
    }
  }

  /// Fills the region on the threads of the pool: the kernel takes seconds to provide the pages of gigabytes to one.
  void poison(GuardedRegion& region) const {
    const std::int64_t parts = std::max<std::int64_t>(region.bytes() / kPoisonedTogether, 1);
    if (parts == 1) return region.poison();
    run_parts()(parts, [&](std::int64_t part) { region.poison(part, parts); });
  }

  /// The outputs among `buffers`.
  std::vector<std::span<const std::byte>> outputs(std::span<void* const> buffers) const {
    std::vector<std::span<const std::byte>> list;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].is_output()) continue;
      list.push_back(bytes_at(buffers[i], tensors_[i].bytes()));
    }
    return list;
  }

  /// Makes one more call, which finds the workspace as the previous one left it, and returns what is wrong with its
  /// result.
  std::string repeat(LinkedKernel& candidate, Evidence& evidence) {
    poison_outputs(candidate, InputSet::kUniform);
    call(candidate, InputSet::kUniform);
    return compare(candidate, InputSet::kUniform, evidence);
  }

  /// Returns what is wrong with the result of the last call of a sample; empty if nothing is. The whole result is
  /// compared if it differs in any bit from the checked one, or if none was checked in this process.
  std::string compare_with_checked(LinkedKernel& candidate, std::span<void* const> buffers) {
    const std::vector<std::span<const std::byte>> result = outputs(buffers);
    if (candidate.checksums.are_known()) {
      const OutputChecksums::Slice next = candidate.checksums.next();
      if (candidate.checksums.next_is_unchanged(result[next.output].subspan(next.offset, next.bytes))) return {};
    }
    Evidence evidence;
    std::string wrong = compare(candidate, InputSet::kUniform, buffers, evidence);
    if (wrong.empty()) candidate.checksums.take(result);
    return wrong;
  }

  static RunnerReply failed_call(const LinkedKernel& candidate) {
    return failure(Outcome::kLaunchError, fmt::format("the kernel gave {} back instead of 0", candidate.result));
  }

  CacheState caches_;
  std::int64_t last_cache_bytes_;
  std::vector<Tensor> tensors_;
  std::vector<BufferCopies> copies_, prepared_copies_;  ///< of the tensors; of what one candidate has prepared
  int prepared_copies_are_of_ = -1;
  std::size_t next_copy_ = 0;
  std::unique_ptr<ParallelPool> pool_;
  CpuAccounting accounting_;
  StealTime steal_;
  MemoryWalk walk_;
  std::map<int, LinkedKernel> candidates_;
};

}  // namespace

std::unique_ptr<Bench> make_cpu_bench(const RunnerSetup& setup) {
  install_fault_handler();
  request_tile_permission();  // for code that uses tiles, which load_object() rejects if this is refused
  return std::make_unique<CpuBench>(setup);
}

}  // namespace nestwright
