#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "measure/elements.h"
#include "measure/guarded_region.h"
#include "measure/protocol.h"
#include "measure/roles.h"
#include "measure/sampler.h"
#include "runtime/kernel.h"
#include "support/error.h"
#include "target/fma_loop.h"
#include "target/tiles.h"

namespace nestwright {

namespace {

constexpr double kBracketNs = 25e3 / kBracketRuns;
constexpr int kReferenceBrackets = 31;

// What the signal handler reads: set before a kernel is called.
struct Watched {
  std::span<GuardedRegion* const> parameters;
  const GuardedRegion* workspace = nullptr;
};
Watched watched;
FaultRecord* fault_record = nullptr;

// Says in shared memory where the fault was. The default action is then in force again, and the instruction faults once
// more.
void record_fault(int, siginfo_t* info, void*) {
  FaultRecord record{1, -2, 0};
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
  // A stack of its own, for a kernel that ran out of the ordinary one.
  static char stack[64 << 10];
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = record_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

/// A parameter's memory and its reference. An output is moved within its region from one placement to the other; an
/// input lies there for good, so that it has a second region where the placements differ.
struct Tensor {
  TensorLayout layout;
  GuardedRegion region;
  std::optional<GuardedRegion> at_start;
  std::span<const double> expected, bound;
  bool is_output() const { return layout.role == ir::Role::kOutput; }
};

std::span<const double> map_doubles(std::int64_t elements, std::int64_t offset) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(elements) * sizeof(double), PROT_READ, MAP_SHARED,
                      kWorkerTensorsFd, offset);
  if (memory == MAP_FAILED) throw Error("the runner cannot map the reference");
  return {static_cast<const double*>(memory), static_cast<std::size_t>(elements)};
}

Tensor map_tensor(const TensorLayout& layout) {
  const std::int64_t bytes = layout.elements * layout.type.bytes();
  if (layout.role == ir::Role::kOutput) {
    return {layout, GuardedRegion::writable(bytes), std::nullopt, map_doubles(layout.elements, layout.first),
            map_doubles(layout.elements, layout.second)};
  }
  Tensor input{layout, GuardedRegion::read_only(bytes, kWorkerTensorsFd, layout.first)};
  if (layout.second != layout.first) input.at_start = GuardedRegion::read_only(bytes, kWorkerTensorsFd, layout.second);
  return input;
}

struct Candidate {
  std::unique_ptr<LoadedObject> code;
  GuardedRegion workspace;
  std::vector<GuardedRegion> prepared;
  std::vector<GuardedRegion*> regions[2];  ///< by placement: of the tensors, then what is prepared
  std::vector<void*> buffers[2];           ///< likewise
  std::optional<Placement> is_prepared;    ///< where what is prepared lies
  std::int32_t result = 0;                 ///< of the last call that did not give 0
};

class Bench {
 public:
  explicit Bench(const RunnerSetup& setup) : pool_(make_pool(setup.pool, setup.threads)) {
    for (const TensorLayout& layout : setup.tensors) tensors_.push_back(map_tensor(layout));
    bracket_iterations_ = setup.bracket_iterations > 0 ? setup.bracket_iterations : calibrate_fma_loop(kBracketNs);
  }

  RunnerReady ready() const {
    std::vector<double> brackets;
    for (int i = 0; i < kReferenceBrackets; ++i) {
      brackets.push_back(take_bracket(steady_clock(), [this] { run_fma_loop(bracket_iterations_); }));
    }
    return {bracket_iterations_, median_interval(brackets).median};
  }

  RunnerReply handle(const RunnerRequest& request) {
    switch (request.kind) {
      case RunnerRequest::Kind::kLoad:
        return load(request);
      case RunnerRequest::Kind::kCheck:
        return check_result(candidates_.at(request.id), request.hopeless_call_ns);
      case RunnerRequest::Kind::kSample:
        return sample(candidates_.at(request.id), request);
      case RunnerRequest::Kind::kUnload:
        candidates_.erase(request.id);
        return {};
    }
    throw InternalError("internal error: a request to the runner that is none of the known ones");
  }

 private:
  static RunnerReply failure(Outcome outcome, std::string message, const Evidence& evidence = {}) {
    RunnerReply reply;
    reply.outcome = outcome;
    reply.message = std::move(message);
    reply.evidence = evidence;
    return reply;
  }

  RunnerReply load(const RunnerRequest& request) {
    try {
      const std::int64_t bytes = workspace_bytes(request.object.workspace, pool_->threads());
      Candidate candidate{load_object(request.object), GuardedRegion::writable(bytes)};
      for (const std::int64_t each : request.object.prepared_bytes) {
        candidate.prepared.push_back(GuardedRegion::writable(each));
      }
      Candidate& kept = candidates_.emplace(request.id, std::move(candidate)).first->second;
      for (const Placement placement : {Placement::kAtEnd, Placement::kAtStart}) place(kept, placement);
      return {};
    } catch (const std::exception& e) {
      return failure(Outcome::kLaunchError, e.what());
    }
  }

  void place(Candidate& candidate, Placement placement) {
    std::vector<GuardedRegion*>& regions = candidate.regions[static_cast<int>(placement)];
    for (Tensor& tensor : tensors_) {
      regions.push_back(placement == Placement::kAtStart && tensor.at_start ? &*tensor.at_start : &tensor.region);
    }
    for (GuardedRegion& region : candidate.prepared) regions.push_back(&region);
    for (const GuardedRegion* region : regions) {
      candidate.buffers[static_cast<int>(placement)].push_back(region->buffer(placement));
    }
  }

  void enter(Candidate& candidate, void* entry, Placement placement) {
    const auto kernel = reinterpret_cast<nestwright_kernel>(entry);
    const std::int32_t result = kernel(candidate.buffers[static_cast<int>(placement)].data(), nullptr,
                                       candidate.workspace.buffer(placement), pool_->abi());
    if (result != 0) candidate.result = result;
  }

  void call(Candidate& candidate, Placement placement) { enter(candidate, candidate.code->entry(), placement); }

  /// Sees to it that what the calls read is prepared there.
  void prepare(Candidate& candidate, Placement placement) {
    if (candidate.prepared.empty() || candidate.is_prepared == placement) return;
    for (GuardedRegion& region : candidate.prepared) region.poison();
    enter(candidate, candidate.code->preparation(), placement);
    candidate.is_prepared = placement;
  }

  void watch(const Candidate& candidate, Placement placement) {
    watched = {candidate.regions[static_cast<int>(placement)], &candidate.workspace};
  }

  RunnerReply check_result(Candidate& candidate, double hopeless_call_ns) {
    RunnerReply reply;
    for (const Placement placement : {Placement::kAtEnd, Placement::kAtStart}) {
      const std::vector<GuardedRegion*>& regions = candidate.regions[static_cast<int>(placement)];
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if (tensors_[i].is_output()) regions[i]->poison();
      }
      watch(candidate, placement);
      candidate.workspace.poison();
      prepare(candidate, placement);
      const bool stayed_inside = candidate.workspace.gaps_intact(placement);
      candidate.workspace.poison();
      const double ns = time_once(steady_clock(), [&] { call(candidate, placement); });
      reply.call_ns = reply.call_ns > 0 ? std::min(reply.call_ns, ns) : ns;
      if (candidate.result != 0) return failed_call(candidate);
      if (!stayed_inside || !candidate.workspace.gaps_intact(placement)) {
        return failure(Outcome::kWrongResult, "it wrote outside its workspace", reply.evidence);
      }
      std::string wrong = compare(candidate, placement, reply.evidence);
      if (!wrong.empty()) return failure(Outcome::kWrongResult, std::move(wrong), reply.evidence);
      if (hopeless_call_ns > 0 && reply.call_ns > hopeless_call_ns) return reply;
    }
    reply.evidence.verified = true;
    return reply;
  }

  // What is wrong with the outputs, or nothing. Adds to the evidence.
  std::string compare(const Candidate& candidate, Placement placement, Evidence& evidence) const {
    const int p = static_cast<int>(placement);
    for (std::size_t i = 0; i < candidate.regions[p].size(); ++i) {
      const bool is_input = i < tensors_.size() && !tensors_[i].is_output();
      if (!is_input && !candidate.regions[p][i]->gaps_intact(placement)) {
        return fmt::format("it wrote outside parameter {}", i);
      }
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (!tensor.is_output()) continue;
      const void* const result = candidate.buffers[p][i];
      const Comparison c = compare_elements(tensor.layout.type, result, tensor.expected, tensor.bound);
      evidence.largest_error = std::max(evidence.largest_error, c.largest_error);
      evidence.largest_error_ratio = std::max(evidence.largest_error_ratio, c.largest_error_ratio);
      if (c.first_wrong >= 0) {
        const auto at = static_cast<std::size_t>(c.first_wrong);
        return fmt::format("parameter {} element {}: expected {:.9g}, got {:.9g}, allowed error {:.3g}", i, at,
                           tensor.expected[at], element_at(tensor.layout.type, result, c.first_wrong),
                           tensor.bound[at]);
      }
    }
    return {};
  }

  RunnerReply sample(Candidate& candidate, const RunnerRequest& request) {
    watch(candidate, Placement::kAtStart);
    prepare(candidate, Placement::kAtStart);
    std::function<void()> bracket;
    if (request.bracket) bracket = [this] { run_fma_loop(bracket_iterations_); };
    RunnerReply reply;
    reply.reading = take_reading(steady_clock(), request.calls, [&] { call(candidate, Placement::kAtStart); }, bracket);
    if (candidate.result != 0) return failed_call(candidate);
    return reply;
  }

  static RunnerReply failed_call(const Candidate& candidate) {
    return failure(Outcome::kLaunchError, fmt::format("the kernel gave {} back instead of 0", candidate.result));
  }

  std::vector<Tensor> tensors_;
  std::unique_ptr<ParallelPool> pool_;
  std::int64_t bracket_iterations_ = 0;
  std::map<int, Candidate> candidates_;
};

}  // namespace

int run_runner_role(Channel& channel) {
  install_fault_handler();
  std::string message;
  channel.send(encode_hello());
  if (channel.receive(message) != Channel::Status::kMessage) return 0;
  allow_tiles();  // what was compiled for them needs it; where it is refused nothing is
  Bench bench(decode_runner_setup(message));
  channel.send(encode(bench.ready()));
  while (channel.receive(message) == Channel::Status::kMessage) {
    channel.send(encode(bench.handle(decode_runner_request(message))));
  }
  return 0;
}

}  // namespace nestwright
