#include "search/trials/session_state.h"

#include <tbb/parallel_for.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost_model/least_time.h"
#include "lower/program_part.h"
#include "measure/race/quiet_estimate.h"
#include "search/budget/stopwatch.h"
#include "search/task/check_data.h"
#include "support/base/error.h"
#include "target/description/host.h"
#include "target/measured/machine_limits.h"
#include "target/measured/peak.h"
#include "templates/framework/template/template.h"

namespace nestwright {
namespace {

constexpr double kReferenceShare = 0.1, kLeastReferences_s = 1;  // of the budget, for references
constexpr double kRaceShare = 0.2;                               // of the budget, for the races at the end
constexpr double kMostRace = 1.5;                                // most time for them, relative to that share
constexpr double kLimits_s = 0.04;                               // for measuring the machine's highest rates
// A first trial is two checked calls, one that is not timed and a reading, at half of the machine's highest rates. A
// default that takes so many times as long is given up.
constexpr double kFirstCalls = 4, kUsualShare = 0.5, kTimeoutRatio = 5;
constexpr double kHandledBytes_s = 1e9;  // tensors that the first trial fills and compares
constexpr double kNearRoof = 0.7;        // share of the roofline above which the rates are measured again
constexpr int kMaxRateMeasurements = 5;

CheckEffort check_effort(const Budget& budget, const TuningLog& log) {
  CheckEffort effort{.kept_in = references_folder(log.path())};
  if (budget.seconds > 0) effort.seconds = std::max(kLeastReferences_s, kReferenceShare * budget.seconds);
  return effort;
}

/// The context, whose key throws before workers start where this build cannot compile for the target.
const TaskContext& with_key(const TaskContext& context) {
  context.key();
  return context;
}

}  // namespace

std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options) {
  return make_local_builder(target, {.processes = options.builders > 0 ? options.builders : Target::host().threads});
}

TimingOptions timing_of(Effort effort) {
  const EffortPlan plan = plan_of(effort);
  TimingOptions timing;
  timing.finalist_samples = plan.finalist_samples;
  timing.finalist_processes = plan.processes;
  timing.max_finalist_processes = 2 * plan.processes;
  return timing;
}

SessionState::SessionState(const TaskContext& task_context, TuningLog& tuning_log,
                           const SessionOptions& session_options,
                           const std::function<void(const std::string&)>& on_wait,
                           const std::function<double()>& seconds_left)
    : context(with_key(task_context)),
      log(tuning_log),
      options(session_options),
      timing(timing_on(context.target().device, context.target().threads, timing_of(session_options.effort))),
      space(context, options.template_name, options.restriction),
      builder(session_options.builder ? session_options.builder
                                      : make_session_builder(context.target(), session_options)) {
  const Task& task = context.task();
  for (const SearchSpace::Member& member : space.members()) {
    versions.push_back({member.source->name, member.source->version});
    const bool is_plugged = !member.source->plugin.empty() || !task.workload.op->plugin.empty();
    if (is_plugged) of_plugins_.push_back(versions.back());
  }
  const Definition& definition = context.definition();
  if (context.target().device == DeviceKind::kCpu) {
    rates_.product_scale = measure_peak_scale(definition.args.front().dtype());
    raise_limits();
  }
  RunnerOptions running{.target = task.target, .threads = task.target.threads};
  running.timeout_s = check_limit_s(definition, kTimeoutRatio * first_calls_s());
  running.caches = task.caches;
  running.seconds_left = seconds_left;
  running.timing = timing;
  running.on_wait = on_wait;
  runner = make_local_runner(make_strict_check_data(task.workload, check_effort(options.budget, log)), running);
}

double SessionState::first_calls_s() const {
  return kFirstCalls / kUsualShare * 1e-9 *
         least_time_ns({context.definition().flops / 2, context.definition().bytes, 0}, rates_);
}

double SessionState::first_trial_s() const {
  const double calls_s = first_calls_s();
  return calls_s == 0 ? 0 : calls_s + context.definition().bytes / kHandledBytes_s;
}

void SessionState::raise_limits() {
  if (context.target().device != DeviceKind::kCpu) return;
  // On as many threads as the task has, since more threads could reach more.
  const int threads = context.target().threads;
  const MachineLimits measured =
      options.measure_limits ? options.measure_limits(threads) : measure_machine_limits(threads, kLimits_s);
  const MachineLimits limits =
      log.raise_limits(fmt::format("{}; threads {}", context.key().machine, threads), measured);
  // Without fused multiply-adds, the loop that measures the peak is slower than separate, parallel operations can be.
  if (host_isa() >= CpuIsa::kAvx2) rates_.fma_gflops = limits.fma_gflops;
  rates_.read_gb_s = limits.read_gb_s;
}

void SessionState::remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code) {
  if (code.same_as == 0) known_code.add(code.identity, trial, measurement);
  note_default(trial, point, measurement.outcome, code);
}

void SessionState::note_timed(TrialId trial, const Point& point, const Measurement& measurement) {
  if (!is_timed(measurement)) return;
  std::erase_if(disturbed_trials, [&](const TimedTrial& other) { return other.trial == trial; });
  (is_sound(measurement) ? sound_trials : disturbed_trials)
      .push_back({trial, point, measurement.timing.median_ns, incumbent ? incumbent->trial : 0});
}

void SessionState::describe_spaces() {
  for (const SearchSpace::Member& member : space.members()) {
    const PointCount count = member.space.count_valid();
    log.describe_space(id, {member.source->name, member.source->version}, count.points, count.estimated);
  }
}

void SessionState::forget_failures_of_rebuilt_plugins() {
  if (of_plugins_.empty()) return;
  for (const SessionUnit& unit : log.session_units(context.key())) {
    if (is_any_rebuilt(context.provenance().plugins, unit.plugins)) log.forget_failures(unit.session, of_plugins_);
  }
}

void SessionState::note_default(TrialId trial, const Point& point, Outcome outcome, const TrialCode& code) {
  const bool is_default = point == space.default_point();
  if (is_default && outcome == Outcome::kOk) default_trial = code.same_as == 0 ? trial : code.same_as;
}

std::optional<double> SessionState::roofline_share() {
  if (!incumbent || least_ns(incumbent->work) == 0) return std::nullopt;
  const auto share = [&] { return std::min(1.0, least_ns(incumbent->work) / incumbent->reference_ns); };
  if (share() > kNearRoof && rate_measurements_ < kMaxRateMeasurements) {
    ++rate_measurements_;
    raise_limits();
  }
  return share();
}

double SessionState::part_share() const {
  if (context.target().device != DeviceKind::kCpu || options.part_ns <= 0 || !incumbent) return 0;
  const double halvings = std::round(std::log2(incumbent_ns() / options.part_ns));
  return halvings < 1 ? 0 : std::exp2(-halvings);
}

const BuiltPoint* SessionState::part_of_incumbent() {
  const double share = part_share();
  if (share == 0) return nullptr;
  if (!incumbent->part) incumbent->part = build({incumbent->point}, Pipeline::kSearch, {}, share).front();
  const BuiltPoint& part = *incumbent->part;
  return part.result.outcome == Outcome::kOk && part.part_ratio > 0 ? &part : nullptr;
}

std::vector<BuiltPoint> SessionState::build(const std::vector<Point>& points, Pipeline pipeline,
                                            const std::function<bool()>& is_over, double part_share) {
  // Finalists are verified after every pass, as their results are reported.
  const LowerOptions lowering{.verify = pipeline == Pipeline::kFinal};
  std::vector<Lowered> lowered(points.size());
  {
    const Stopwatch watch(result.times.lower);
    tbb::parallel_for(std::size_t{0}, points.size(),
                      [&](std::size_t i) { lowered[i] = lower_point(space.task(), points[i], lowering); });
  }
  std::vector<ir::Program> programs;
  std::vector<BuiltPoint> results(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto* program = std::get_if<ir::Program>(&lowered[i]);
    if (program == nullptr) continue;
    results[i].work = limit_work(least_work(*program), context.definition().flops, context.definition().bytes);
    if (part_share > 0) {
      if (std::optional<ProgramPart> part = part_of(*program, part_share, context.target().threads)) {
        results[i].part_ratio = part->ratio;
        *program = std::move(part->program);
      }
    }
    programs.push_back(std::move(*program));
  }
  std::vector<BuildResult> built;
  {
    const Stopwatch watch(result.times.compile);
    built = builder->build(programs, pipeline, is_over);
  }
  auto next = built.begin();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto* refusal = std::get_if<std::string>(&lowered[i])) {
      results[i].result = {.outcome = Outcome::kInvalidConfig, .message = *refusal};
    } else {
      results[i].result = std::move(*next++);
    }
  }
  return results;
}

std::optional<BestRecord> SessionState::best() const {
  if (!space.is_restricted() && options.template_name.empty()) return log.best(filter_of(context.key()), versions);
  constexpr int kMaxEntries = 1000;
  std::vector<BestRecord> within = log.top(filter_of(context.key()), kMaxEntries, context.usable_templates());
  std::erase_if(within, [&](const BestRecord& record) { return !point_of(record.proposal); });
  if (!within.empty() && within.front().source == BestSource::kRace) return within.front();
  if (incumbent && std::any_of(sound_trials.begin(), sound_trials.end(),
                               [&](const TimedTrial& trial) { return trial.trial == incumbent->trial; })) {
    BestRecord record = log.find_trial(incumbent->trial).value().record;
    estimate_unraced_time(record.timing);
    return record;
  }
  const auto fastest = [&](const std::vector<TimedTrial>& trials, BestSource source) -> std::optional<BestRecord> {
    const auto found = std::min_element(trials.begin(), trials.end(), [](const TimedTrial& a, const TimedTrial& b) {
      return a.median_ns < b.median_ns;
    });
    if (found == trials.end()) return std::nullopt;
    BestRecord record = log.find_trial(found->trial).value().record;
    estimate_unraced_time(record.timing);
    record.source = source;
    return record;
  };
  if (auto record = fastest(sound_trials, BestSource::kUnconfirmed)) return record;
  if (!within.empty()) return within.front();
  return fastest(disturbed_trials, BestSource::kDisturbed);
}

RacePlan SessionState::race_plan() const {
  const double seconds = options.race_seconds > 0 ? options.race_seconds : kRaceShare * options.budget.seconds;
  RacePlan plan = plan_race(timing, incumbent_ns(), seconds, options.finalists);
  if (plan.finalists > 0) plan.seconds += runner->check_preparation_s();
  // The race of a slow kernel ends before all its processes have run.
  if (seconds > 0) plan.seconds = std::min(plan.seconds, kMostRace * seconds);
  return plan;
}

}  // namespace nestwright
