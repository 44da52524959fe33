#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "measure/run/runner.h"
#include "measure/run/runner_worker.h"
#include "nestwright/error.h"
#include "runtime/compiled_kernel.h"
#include "support/base/clock.h"

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

  RunResult run(const std::vector<Contender>& contenders, const std::optional<Contender>& incumbent,
                const std::function<bool()>& is_over) override {
    RaceConditions how = conditions(is_over);
    if (std::any_of(contenders.begin(), contenders.end(), [](const Contender& c) { return c.is_part(); })) {
      how.timing = of_parts(how.timing);
    }
    return run(contenders, incumbent, how);
  }

  RunResult confirm(const Contender& contender, const Contender& incumbent,
                    const std::function<bool()>& is_over) override {
    RaceConditions how = conditions(is_over);
    how.timing.rounds.clear();
    return run({contender}, incumbent, how);
  }

  std::vector<Measurement> check(const std::vector<Contender>& contenders) override {
    worker_.prepare_thorough_checks();
    if (!worker_.is_running()) forget_loaded();
    set_contenders(contenders);
    for (std::size_t i = 0; i < contenders.size(); ++i) check_contender(i, true);
    return take_measurements(contenders.size());
  }

  double check_preparation_s() const override { return worker_.thorough_preparation_s(); }

  std::vector<Measurement> race(const std::vector<Contender>& contenders, const RaceLimits& limits) override {
    return race(contenders, options_.timing, limits);
  }

  std::vector<Measurement> preliminary_race(const std::vector<Contender>& contenders,
                                            const RaceLimits& limits) override {
    return race(contenders, preliminary(options_.timing), limits);
  }

 private:
  RunResult run(const std::vector<Contender>& contenders, const std::optional<Contender>& incumbent,
                const RaceConditions& how) {
    set_contenders(contenders);
    is_given_up_ = false;
    incumbent_ns_ = incumbent ? incumbent->call_ns : incumbent_ns_;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      if (i > 0 && how.is_over && how.is_over()) {
        measurements_[i].timing.disturbance = "it was neither checked nor timed: the time was over";
        continue;
      }
      if (contenders_[i].is_part()) {
        contenders_[i].call_ns = incumbent_ns_;
      } else if (const std::optional<double> call_ns = check_contender(i, false)) {
        contenders_[i].call_ns = *call_ns;
      } else {
        continue;
      }
      racing_.push_back(i);
    }
    RunResult result;
    const bool reads_when_checked = racing_.size() == 1 && !contenders_[racing_[0]].is_part() &&
                                    contenders_[racing_[0]].call_ns > kReadWhenCheckedNs;
    if (reads_when_checked) {
      read_when_checked(incumbent, result);
    } else if (!racing_.empty()) {
      race_checked(incumbent, how, result);
    }
    result.measurements = take_measurements(contenders.size());
    return result;
  }

  void race_checked(const std::optional<Contender>& incumbent, const RaceConditions& how, RunResult& result) {
    const std::vector<Contender> checked = racing();
    if (incumbent) {
      racing_.push_back(contenders_.size());
      contenders_.push_back(*incumbent);
      measurements_.emplace_back();
    }
    RaceResult raced = nestwright::race(sampler_, how, checked, incumbent);
    store(std::move(raced.timings));
    if (raced.reference) result.reference = racing_[*raced.reference];
    if (raced.successor) result.successor = racing_[*raced.successor];
    result.incumbent_failed = raced.incumbent_failed && !is_given_up_;
  }

  /// Fills in the result of a run of one correct kernel; its time is that of its faster checked call.
  void read_when_checked(const std::optional<Contender>& incumbent, RunResult& result) {
    const std::size_t id = racing_.front();
    const double ns = contenders_[id].call_ns;
    Timing timing;
    timing.samples_ns = timing.raw_ns = {ns};
    timing.median_ns = timing.low_ns = timing.high_ns = ns;
    if (!incumbent) result.reference = id;
    if (incumbent && ns < incumbent->call_ns) result.successor = id;
    store({std::move(timing)});
  }

  std::vector<Measurement> race(const std::vector<Contender>& contenders, const TimingOptions& timing,
                                const RaceLimits& limits) {
    wait_budget_.set_end([left = limits.seconds_left] { return left && left() <= 0; });
    set_contenders(contenders);
    racing_.resize(contenders.size());
    std::iota(racing_.begin(), racing_.end(), std::size_t{0});
    store(race_finalists(sampler_, {timing, ++races_, limits}, contenders));
    return take_measurements(contenders.size());
  }

  static RunnerOptions with_device_timing(RunnerOptions options) {
    options.timing = timing_on(options.target.device, options.threads, options.timing);
    return options;
  }

  void set_contenders(const std::vector<Contender>& contenders) {
    unload_all();  // left by an earlier call that threw
    for (const Contender& contender : contenders) {
      nestwright::check(contender.object != nullptr, "a candidate to be run has no object");
    }
    contenders_ = contenders;
    measurements_.assign(contenders.size(), {});
    racing_.clear();
  }

  /// Those that are raced, in order.
  std::vector<Contender> racing() const {
    std::vector<Contender> list;
    for (const std::size_t id : racing_) list.push_back(contenders_[id]);
    return list;
  }

  void unload(std::size_t id) {
    if (!loaded_.contains(id)) return;
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kUnload;
    request.id = static_cast<int>(id);
    transact(request);
    loaded_.erase(id);
  }

  void unload_all() {
    for (std::size_t i = 0; i < contenders_.size(); ++i) unload(i);
  }

  std::int64_t memory_of(std::size_t id) const {
    const CompiledObject& object = *contenders_[id].object;
    return std::accumulate(object.prepared_bytes.begin(), object.prepared_bytes.end(),
                           workspace_bytes(object.workspace, options_.threads));
  }

  /// Unloads kernels, those with most memory first, until all that are loaded have room in half of what the runner
  /// may use beside the tensors: none is to fail for what others take.
  void make_room_for(std::size_t id) {
    if (options_.target.device != DeviceKind::kCpu) return;
    std::vector<std::size_t> loaded(loaded_.begin(), loaded_.end());
    std::int64_t bytes = memory_of(id);
    for (const std::size_t i : loaded) bytes += memory_of(i);
    std::sort(loaded.begin(), loaded.end(), [&](std::size_t a, std::size_t b) { return memory_of(a) > memory_of(b); });
    for (const std::size_t i : loaded) {
      if (bytes <= worker_.room_bytes() / 2) return;
      bytes -= memory_of(i);
      unload(i);
    }
  }

  std::vector<Measurement> take_measurements(std::size_t n) {
    unload_all();
    std::vector<Measurement> measurements = std::move(measurements_);
    measurements.resize(n);  // without the incumbent's
    contenders_.clear();
    measurements_.clear();
    return measurements;
  }

  void store(std::vector<Timing> timings) {
    for (std::size_t i = 0; i < timings.size(); ++i) {
      Measurement& m = measurements_[racing_[i]];
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

  // Links and checks a kernel, thoroughly or in the usual way. Returns the rough time of a call if it is right, else
  // nothing, and the measurement says why.
  std::optional<double> check_contender(std::size_t id, bool thorough) {
    const std::int64_t start = steady_clock().now_ns();
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kCheck;
    request.id = static_cast<int>(id);
    request.thorough = thorough;
    const std::optional<RunnerReply> reply = ask(id, request);
    measurements_[id].check_ms = static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
    if (!reply) return std::nullopt;
    measurements_[id].evidence = reply->evidence;
    return reply->call_ns;
  }

  std::optional<Reading> sample(int racer, std::int64_t calls, bool warm_up) override {
    const std::size_t id = racing_[static_cast<std::size_t>(racer)];
    RunnerRequest request;
    request.kind = RunnerRequest::Kind::kSample;
    request.id = static_cast<int>(id);
    request.calls = calls;
    // The first call in a process also waits for pages that were never touched.
    request.warm_up = warm_up || !loaded_.contains(id);
    const std::int64_t start = steady_clock().now_ns();
    const std::optional<RunnerReply> reply = ask(id, request);
    Measurement& m = measurements_[id];
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

  // Sends a request about a kernel, which is linked first if necessary. Absent if it failed: its measurement says why.
  std::optional<RunnerReply> ask(std::size_t id, const RunnerRequest& request) {
    worker_.ensure();
    if (!loaded_.contains(id)) {
      make_room_for(id);
      RunnerRequest load;
      load.kind = RunnerRequest::Kind::kLoad;
      load.id = static_cast<int>(id);
      load.object = *contenders_[id].object;
      load.is_part = contenders_[id].is_part();
      std::optional<RunnerReply> loaded = ask_worker(id, load, "linked");
      if (!loaded) return std::nullopt;
      loaded_.insert(id);
      measurements_[id].resources = std::move(loaded->resources);
    }
    return ask_worker(id, request, request.kind == RunnerRequest::Kind::kCheck ? "checked" : "timed");
  }

  std::optional<RunnerReply> ask_worker(std::size_t id, const RunnerRequest& request, const char* doing) {
    Measurement& m = measurements_[id];
    // Linking prepares the whole workspace for a part, too.
    const double ratio = request.kind == RunnerRequest::Kind::kLoad ? 1 : contenders_[id].whole_ratio();
    std::optional<RunnerReply> reply = transact(request, 1 / ratio);
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

  void forget_loaded() { loaded_.clear(); }

  RunnerOptions options_;
  RunnerWorker worker_;
  DisturbanceGate gate_;
  WaitBudget wait_budget_;
  GatedSampler sampler_;
  std::vector<Contender> contenders_;      ///< with the incumbent, if it is raced, as the last one
  std::vector<Measurement> measurements_;  ///< of each
  std::vector<std::size_t> racing_;        ///< indices of those that are raced: what a race calls i is racing_[i]
  std::set<std::size_t> loaded_;           ///< those that are linked in the worker
  std::uint64_t races_ = 0;
  double incumbent_ns_ = 0;   ///< basis of the limits; 0: not known yet
  bool is_given_up_ = false;  ///< a request of this run was: a kernel that seems to have failed may be right
};

}  // namespace

std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options) {
  return std::make_unique<LocalRunner>(data, options);
}

}  // namespace nestwright
