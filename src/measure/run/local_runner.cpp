#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "measure/run/runner.h"
#include "measure/run/runner_worker.h"
#include "runtime/compiled_kernel.h"
#include "support/base/clock.h"
#include "support/base/error.h"

namespace nestwright {

namespace {

constexpr double kLimitRatio = 100;  // a candidate's limit relative to the incumbent's time
constexpr double kMinLimit_s = 1;
// The time of a call from which checked calls are readings: they are as sure as one more call, which takes too long.
constexpr double kReadWhenCheckedNs = 2e9;

class LocalRunner : public Runner, private SampleSource {
 public:
  LocalRunner(const CheckData& data, const RunnerOptions& options)
      : options_(with_device_timing(options)),
        worker_(data, options_),
        wait_budget_(steady_clock(), options_.wait_share),
        sampler_(*this, gate_, wait_budget_, options_.threads) {}

  RunResult run(const std::vector<RunRequest>& requests, const std::optional<Incumbent>& incumbent,
                const std::function<bool()>& is_over) override {
    RaceConditions how = conditions(is_over);
    if (std::any_of(requests.begin(), requests.end(), [](const RunRequest& r) { return is_part(r); })) {
      how.timing = of_parts(how.timing);
    }
    return run(requests, incumbent, how);
  }

  RunResult confirm(const RunRequest& request, const Incumbent& incumbent,
                    const std::function<bool()>& is_over) override {
    RaceConditions how = conditions(is_over);
    how.timing.rounds.clear();
    return run({request}, incumbent, how);
  }

  std::vector<Measurement> check(const std::vector<RunRequest>& requests) override {
    worker_.prepare_thorough_checks();
    if (!worker_.is_running()) forget_loaded();
    set_candidates(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) check_candidate(static_cast<int>(i), true);
    return take_measurements(requests.size());
  }

  double check_preparation_s() const override { return worker_.thorough_preparation_s(); }

  std::vector<Measurement> race(const std::vector<RunRequest>& requests, const RaceLimits& limits) override {
    return race(requests, options_.timing, limits);
  }

  std::vector<Measurement> preliminary_race(const std::vector<RunRequest>& requests,
                                            const RaceLimits& limits) override {
    return race(requests, preliminary(options_.timing), limits);
  }

 private:
  RunResult run(const std::vector<RunRequest>& requests, const std::optional<Incumbent>& incumbent,
                const RaceConditions& how) {
    set_candidates(requests);
    is_given_up_ = false;
    incumbent_ns_ = incumbent ? incumbent->reference_ns : incumbent_ns_;
    std::vector<Contender> contenders;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const int id = static_cast<int>(i);
      if (i > 0 && how.is_over && how.is_over()) {
        candidates_[i].measurement.timing.disturbance = "it was neither checked nor timed: the time was over";
        continue;
      }
      if (is_part(requests[i])) {
        contenders.push_back({id, incumbent_ns_, requests[i].least_ns, requests[i].part_ratio});
      } else if (const std::optional<double> call_ns = check_candidate(id, false)) {
        contenders.push_back({id, *call_ns, requests[i].least_ns});
      }
    }
    if (contenders.size() == 1 && contenders[0].part_ratio == 1 && contenders[0].call_ns > kReadWhenCheckedNs) {
      return read_when_checked(contenders[0], requests.size(), incumbent);
    }
    std::optional<Contender> opponent;
    if (incumbent) {
      candidates_.push_back({.object = incumbent->object, .part_ratio = incumbent->part_ratio, .measurement = {}});
      opponent = Contender{static_cast<int>(requests.size()), incumbent->reference_ns};
      if (incumbent->part_ratio > 0) opponent->part_ratio = incumbent->part_ratio;
    }
    RunResult result;
    if (!contenders.empty()) {
      RaceResult raced = nestwright::race(sampler_, how, contenders, opponent);
      store(contenders, std::move(raced.timings));
      const auto request_of = [&](std::size_t contender) { return static_cast<std::size_t>(contenders[contender].id); };
      if (raced.reference) result.reference = Successor{request_of(*raced.reference), raced.reference_ns};
      if (raced.successor) result.successor = Successor{request_of(*raced.successor), raced.successor_ns};
      result.incumbent_failed = raced.incumbent_failed && !is_given_up_;
    }
    result.measurements = take_measurements(requests.size());
    return result;
  }

  /// The result of a run of one right candidate, whose time is that of its faster checked call.
  RunResult read_when_checked(const Contender& contender, std::size_t requests,
                              const std::optional<Incumbent>& incumbent) {
    Timing timing;
    timing.samples_ns = timing.raw_ns = {contender.call_ns};
    timing.median_ns = timing.low_ns = timing.high_ns = contender.call_ns;
    RunResult result;
    const Successor itself{static_cast<std::size_t>(contender.id), contender.call_ns};
    if (!incumbent) result.reference = itself;
    if (incumbent && contender.call_ns < incumbent->reference_ns) result.successor = itself;
    store({contender}, {std::move(timing)});
    result.measurements = take_measurements(requests);
    return result;
  }

  std::vector<Measurement> race(const std::vector<RunRequest>& requests, const TimingOptions& timing,
                                const RaceLimits& limits) {
    wait_budget_.set_end([left = limits.seconds_left] { return left && left() <= 0; });
    set_candidates(requests);
    std::vector<Contender> contenders;
    for (std::size_t i = 0; i < requests.size(); ++i) contenders.push_back({static_cast<int>(i)});
    store(contenders, race_finalists(sampler_, {timing, ++races_, limits}, contenders));
    return take_measurements(requests.size());
  }

  static bool is_part(const RunRequest& request) { return request.part_ratio > 0; }

  struct Candidate {
    const CompiledObject* object = nullptr;
    double part_ratio = 0;
    bool loaded = false;
    Measurement measurement;
  };

  static RunnerOptions with_device_timing(RunnerOptions options) {
    options.timing = timing_on(options.target.device, options.threads, options.timing);
    return options;
  }

  void set_candidates(const std::vector<RunRequest>& requests) {
    unload_all();  // left by an earlier call that threw
    candidates_.clear();
    for (const RunRequest& request : requests) {
      nestwright::check(request.object != nullptr, "a candidate to be run has no object");
      candidates_.push_back({.object = request.object, .part_ratio = request.part_ratio, .measurement = {}});
    }
  }

  void unload(std::size_t id) {
    if (!candidates_[id].loaded) return;
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kUnload;
    request.id = static_cast<int>(id);
    transact(request);
    candidates_[id].loaded = false;
  }

  void unload_all() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) unload(i);
  }

  std::int64_t memory_of(const Candidate& candidate) const {
    const std::vector<std::int64_t>& prepared = candidate.object->prepared_bytes;
    return std::accumulate(prepared.begin(), prepared.end(),
                           workspace_bytes(candidate.object->workspace, options_.threads));
  }

  /// Unloads candidates, those with most memory first, until all that are loaded have room in half of what the runner
  /// may use beside the tensors: none is to fail for what others take.
  void make_room_for(const Candidate& candidate) {
    if (options_.target.device != DeviceKind::kCpu) return;
    std::vector<std::size_t> loaded;
    std::int64_t bytes = memory_of(candidate);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].loaded) continue;
      loaded.push_back(i);
      bytes += memory_of(candidates_[i]);
    }
    std::sort(loaded.begin(), loaded.end(),
              [&](std::size_t a, std::size_t b) { return memory_of(candidates_[a]) > memory_of(candidates_[b]); });
    for (const std::size_t i : loaded) {
      if (bytes <= worker_.room_bytes() / 2) return;
      bytes -= memory_of(candidates_[i]);
      unload(i);
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
      Measurement& m = candidates_[static_cast<std::size_t>(contenders[i].id)].measurement;
      m.timing = std::move(timings[i]);
      if (m.outcome == Outcome::kOk && m.timing.samples_ns.empty() && !m.timing.is_disturbed()) {
        m.timing.disturbance = "it was not timed: the time was over, or the incumbent failed";
      }
      if (m.outcome == Outcome::kOk && m.timing.median_ns > 0 && incumbent_ns_ == 0) {
        incumbent_ns_ = m.timing.median_ns;
      }
    }
  }

  RaceConditions conditions(const std::function<bool()>& is_over) {
    wait_budget_.set_end(is_over);
    return {options_.timing, ++races_, is_over};
  }

  // Links and checks a candidate, thoroughly or in the usual way. Returns the rough time of a call if it is right, else
  // nothing, and the measurement says why.
  std::optional<double> check_candidate(int id, bool thorough) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(id)];
    const std::int64_t start = steady_clock().now_ns();
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kCheck;
    request.id = id;
    request.thorough = thorough;
    const std::optional<RunnerReply> reply = ask(id, request);
    candidate.measurement.check_ms = static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
    if (!reply) return std::nullopt;
    candidate.measurement.evidence = reply->evidence;
    return reply->call_ns;
  }

  std::optional<Reading> sample(int id, std::int64_t calls, bool warm_up) override {
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kSample;
    request.id = id;
    request.calls = calls;
    // The first call in a process also waits for pages that were never touched.
    request.warm_up = warm_up || !candidates_[static_cast<std::size_t>(id)].loaded;
    const std::int64_t start = steady_clock().now_ns();
    const std::optional<RunnerReply> reply = ask(id, request);
    Measurement& m = candidates_[static_cast<std::size_t>(id)].measurement;
    m.measure_ms += static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
    if (!reply) return std::nullopt;
    m.device_clock_mhz = reply->device_clock_mhz;
    m.device_temperature_c = reply->device_temperature_c;
    return reply->reading;
  }

  Surroundings surroundings() override {
    worker_.ensure();
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kSurroundings;
    const std::optional<RunnerReply> reply = transact(request);
    return reply ? reply->surroundings : Surroundings{};
  }

  void pause(double ns, const std::string& why) override {
    if (options_.on_wait) options_.on_wait(why);
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(ns)));
  }

  // Sends a request about a candidate, which is linked first if necessary. Absent if the candidate failed: its
  // measurement says why.
  std::optional<RunnerReply> ask(int id, const RunnerRequest& request) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(id)];
    worker_.ensure();
    if (!candidate.loaded) {
      make_room_for(candidate);
      RunnerRequest load;
      load.kind = RunnerRequest::Kind::kLoad;
      load.id = id;
      load.object = *candidate.object;
      load.is_part = candidate.part_ratio > 0;
      std::optional<RunnerReply> loaded = ask_worker(candidate, load, "linked");
      if (!loaded) return std::nullopt;
      candidate.loaded = true;
      candidate.measurement.resources = std::move(loaded->resources);
    }
    return ask_worker(candidate, request, request.kind == RunnerRequest::Kind::kCheck ? "checked" : "timed");
  }

  std::optional<RunnerReply> ask_worker(Candidate& candidate, const RunnerRequest& request, const char* doing) {
    Measurement& m = candidate.measurement;
    // Linking prepares the whole workspace for a part, too.
    const bool takes_a_part = candidate.part_ratio > 0 && request.kind != RunnerRequest::Kind::kLoad;
    std::optional<RunnerReply> reply = transact(request, takes_a_part ? 1 / candidate.part_ratio : 1);
    if (!reply) {
      RunnerWorker::End end = worker_.end(doing);
      if (end.is_given_up) {
        is_given_up_ = true;
        m.timing.disturbance = std::move(end.message);
        return std::nullopt;
      }
      m.outcome = end.outcome;
      m.message = std::move(end.message);
      return std::nullopt;
    }
    if (reply->outcome != Outcome::kOk) {
      m.outcome = reply->outcome;
      m.message = reply->message;
      m.evidence = reply->evidence;
      return std::nullopt;
    }
    return reply;
  }

  /// The limit of a request about this share of a kernel. It scales with the incumbent: a candidate that is so much
  /// slower needs no exact time.
  double limit_s(double share) const {
    if (incumbent_ns_ == 0 || options_.target.device != DeviceKind::kCpu) return options_.timeout_s;
    return std::min(options_.timeout_s, std::max(kMinLimit_s, kLimitRatio * share * incumbent_ns_ * 1e-9));
  }

  std::optional<RunnerReply> transact(const RunnerRequest& request, double share = 1) {
    std::optional<RunnerReply> reply = worker_.ask(request, limit_s(share));
    if (!worker_.is_running()) forget_loaded();
    return reply;
  }

  void renew_process() override {
    worker_.drop();
    forget_loaded();
  }

  void forget_loaded() {
    for (Candidate& candidate : candidates_) candidate.loaded = false;
  }

  RunnerOptions options_;
  RunnerWorker worker_;
  DisturbanceGate gate_;
  WaitBudget wait_budget_;
  GatedSampler sampler_;
  std::vector<Candidate> candidates_;
  std::uint64_t races_ = 0;
  double incumbent_ns_ = 0;   ///< basis of the limits; 0: not known yet
  bool is_given_up_ = false;  ///< a request of this run was: a kernel that seems to have failed may be right
};

}  // namespace

std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options) {
  return std::make_unique<LocalRunner>(data, options);
}

}  // namespace nestwright
