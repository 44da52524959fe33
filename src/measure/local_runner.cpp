#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "measure/guarded_region.h"
#include "measure/protocol.h"
#include "measure/race.h"
#include "measure/runner.h"
#include "measure/tensor_file.h"
#include "measure/worker_process.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/scratch_folder.h"

namespace nestwright {

namespace {

class LocalRunner : public Runner, private SampleSource {
 public:
  LocalRunner(const CheckData& data, const RunnerOptions& options)
      : options_(options), tensors_(data), fault_fd_(memfd_create("nestwright-fault", MFD_CLOEXEC)) {
    options_.timing = timing_on(options.target.device, options.timing);
    // What PoCL compiles; its process may be killed and could not remove it.
    if (options.target.device == DeviceKind::kOpenCl && std::getenv("POCL_CACHE_DIR") == nullptr) {
      pocl_files_.emplace("nestwright-pocl");
    }
    if (options.threads < 1) throw UsageError("a runner needs at least one thread");
    if (ftruncate(fault_fd_.get(), sizeof(FaultRecord)) != 0)
      throw Error("cannot make a file in memory for the runner");
    ensure_worker();
  }

  std::vector<Measurement> run(const std::vector<RunRequest>& requests, const CompiledObject* incumbent) override {
    set_candidates(requests);
    std::vector<Contender> contenders;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const int id = static_cast<int>(i);
      if (const std::optional<double> call_ns = check_candidate(id)) contenders.push_back({id, *call_ns});
    }
    std::optional<Contender> opponent;
    if (incumbent) {
      candidates_.push_back({incumbent});
      opponent = Contender{static_cast<int>(requests.size())};
    }
    store(contenders, nestwright::race(*this, conditions(), contenders, opponent));
    return take_measurements(requests.size());
  }

  std::vector<Measurement> race(const std::vector<RunRequest>& requests) override {
    set_candidates(requests);
    std::vector<Contender> contenders;
    for (std::size_t i = 0; i < requests.size(); ++i) contenders.push_back({static_cast<int>(i)});
    store(contenders, race_finalists(*this, conditions(), contenders));
    return take_measurements(requests.size());
  }

 private:
  struct Candidate {
    const CompiledObject* object = nullptr;
    bool loaded = false;
    Measurement measurement;
  };

  bool is_device() const { return options_.target.device != DeviceKind::kCpu; }

  void set_candidates(const std::vector<RunRequest>& requests) {
    unload_all();  // what an earlier call left behind, because it threw
    candidates_.clear();
    for (const RunRequest& request : requests) {
      check(request.object != nullptr, "a candidate to be run has no object");
      candidates_.push_back({request.object});
    }
  }

  void unload_all() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].loaded) continue;
      RunnerRequest request;
      request.kind = RunnerRequest::Kind::kUnload;
      request.id = static_cast<int>(i);
      transact(request);
      candidates_[i].loaded = false;
    }
  }

  std::vector<Measurement> take_measurements(std::size_t n) {
    unload_all();
    std::vector<Measurement> measurements;
    for (std::size_t i = 0; i < n; ++i) measurements.push_back(std::move(candidates_[i].measurement));
    candidates_.clear();
    return measurements;
  }

  void store(const std::vector<Contender>& contenders, std::vector<Timing> timings) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Timing& timing = timings[i];
      Measurement& m = candidates_[static_cast<std::size_t>(contenders[i].id)].measurement;
      if (m.outcome == Outcome::kOk && !timing.ended_early && timing.median_ns > 0 &&
          (best_ns_ == 0 || timing.median_ns < best_ns_)) {
        best_ns_ = timing.median_ns;
      }
      m.timing = std::move(timing);
    }
  }

  RaceConditions conditions() { return {options_.timing, ready_.bracket_ns, ++races_}; }

  // Links and checks one. The rough time of a call where it is right, else nothing, and its measurement says why.
  std::optional<double> check_candidate(int id) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(id)];
    const std::int64_t start = steady_clock().now_ns();
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kCheck;
    request.id = id;
    request.hopeless_call_ns = nestwright::hopeless_call_ns(options_.timing, best_ns_);
    const std::optional<RunnerReply> reply = ask(id, request);
    candidate.measurement.check_ms = static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
    if (!reply) return std::nullopt;
    candidate.measurement.evidence = reply->evidence;
    if (!reply->evidence.verified) {
      Timing& t = candidate.measurement.timing;
      t.ended_early = true;
      t.samples_ns = t.raw_ns = {reply->call_ns};
      t.median_ns = t.low_ns = t.high_ns = reply->call_ns;
      return std::nullopt;
    }
    return reply->call_ns;
  }

  std::optional<Reading> sample(int id, std::int64_t calls, bool bracket) override {
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kSample;
    request.id = id;
    request.calls = calls;
    request.bracket = bracket;
    const std::int64_t start = steady_clock().now_ns();
    const std::optional<RunnerReply> reply = ask(id, request);
    candidates_[static_cast<std::size_t>(id)].measurement.measure_ms +=
        static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
    if (!reply) return std::nullopt;
    Measurement& m = candidates_[static_cast<std::size_t>(id)].measurement;
    m.device_clock_mhz = reply->device_clock_mhz;
    m.device_temperature_c = reply->device_temperature_c;
    return reply->reading;
  }

  // A request about a candidate that is linked first where it must be. Nothing where it failed: its measurement says
  // why.
  std::optional<RunnerReply> ask(int id, const RunnerRequest& request) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(id)];
    ensure_worker();
    if (!candidate.loaded) {
      RunnerRequest load;
      load.kind = RunnerRequest::Kind::kLoad;
      load.id = id;
      load.object = *candidate.object;
      if (!ask_worker(candidate, load, "linked")) return std::nullopt;
      candidate.loaded = true;
    }
    return ask_worker(candidate, request, request.kind == RunnerRequest::Kind::kCheck ? "checked" : "timed");
  }

  std::optional<RunnerReply> ask_worker(Candidate& candidate, const RunnerRequest& request, const char* doing) {
    Measurement& m = candidate.measurement;
    std::optional<RunnerReply> reply = transact(request);
    if (!reply) {
      if (timed_out_) {
        m.outcome = Outcome::kTimeout;
        m.message = fmt::format("not done after {:g} s while being {}", options_.timeout_s, doing);
      } else {
        m.outcome = Outcome::kCrash;
        m.message = fmt::format("{} while being {}{}", last_words_, doing, describe_fault());
      }
      return std::nullopt;
    }
    if (reply->is_lost) drop_worker();
    if (reply->outcome != Outcome::kOk) {
      m.outcome = reply->outcome;
      m.message = reply->message;
      m.evidence = reply->evidence;
      return std::nullopt;
    }
    return reply;
  }

  // One request and its reply. Nothing where the worker died or had to be killed; it is then gone, and nothing is
  // linked.
  std::optional<RunnerReply> transact(const RunnerRequest& request) {
    if (!worker_) return std::nullopt;
    const auto timeout_ns = static_cast<std::int64_t>(options_.timeout_s * 1e9);
    std::string message;
    Channel::Status status = Channel::Status::kClosed;
    if (worker_->channel().send(encode(request), timeout_ns)) status = worker_->channel().receive(message, timeout_ns);
    if (status == Channel::Status::kMessage) return decode_runner_reply(message);
    timed_out_ = status == Channel::Status::kTimeout;
    if (!timed_out_) last_words_ = worker_->obituary();
    drop_worker();
    return std::nullopt;
  }

  /// The next request starts a new one.
  void drop_worker() {
    worker_.reset();
    for (Candidate& candidate : candidates_) candidate.loaded = false;
  }

  void ensure_worker() {
    if (worker_) return;
    const FaultRecord none;
    check(pwrite(fault_fd_.get(), &none, sizeof none, 0) == sizeof none, "the runner's fault record cannot be written");
    std::vector<std::string> environment;
    if (pocl_files_) environment.push_back("POCL_CACHE_DIR=" + pocl_files_->path());
    auto worker =
        std::make_unique<WorkerProcess>("runner", 0, std::vector<int>{tensors_.fd(), fault_fd_.get()}, environment);
    worker->expect_ready();
    const RunnerSetup setup{tensors_.layout(), options_.threads,
                            options_.threads == 1 ? PoolKind::kSerial : options_.pool, ready_.bracket_iterations,
                            is_device() ? options_.target.str() : std::string()};
    std::string message;
    constexpr std::int64_t kSetupTimeoutNs = 60'000'000'000;
    if (!worker->channel().send(encode(setup), kSetupTimeoutNs) ||
        worker->channel().receive(message, kSetupTimeoutNs) != Channel::Status::kMessage) {
      throw Error("the runner did not start (" + worker->obituary() + "); " +
                  (is_device() ? "see what nestwright doctor says of the device, or choose smaller tensors"
                               : "free memory or choose smaller tensors"));
    }
    // Only the first one's bracket: it is the unit of all scores.
    if (ready_.bracket_iterations == 0) ready_ = decode_runner_ready(message);
    worker_ = std::move(worker);
  }

  std::string describe_fault() const {
    FaultRecord fault;
    if (pread(fault_fd_.get(), &fault, sizeof fault, 0) != sizeof fault || !fault.written || fault.parameter == -2)
      return {};
    const std::string what = fault.parameter < 0 ? "the workspace" : fmt::format("parameter {}", fault.parameter);
    switch (static_cast<GuardedRegion::Fault>(fault.side)) {
      case GuardedRegion::Fault::kPastEnd:
        return ": past the end of " + what;
      case GuardedRegion::Fault::kBeforeStart:
        return ": before the start of " + what;
      default:
        return ": it wrote to " + what + ", an input";
    }
  }

  RunnerOptions options_;
  TensorFile tensors_;
  UniqueFd fault_fd_;
  std::optional<ScratchFolder> pocl_files_;  ///< outlives the worker
  RunnerReady ready_;
  std::unique_ptr<WorkerProcess> worker_;
  std::vector<Candidate> candidates_;
  std::uint64_t races_ = 0;
  double best_ns_ = 0;  ///< of all that was run so far; 0: nothing
  bool timed_out_ = false;
  std::string last_words_;
};

}  // namespace

std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options) {
  return std::make_unique<LocalRunner>(data, options);
}

}  // namespace nestwright
