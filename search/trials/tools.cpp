#include "search/trials/tools.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "lower/program_part.h"
#include "search/budget/effort.h"
#include "search/budget/stopwatch.h"
#include "search/task/candidate.h"
#include "search/task/check_data.h"
#include "search/trials/session_builder.h"
#include "target/description/host.h"

namespace nestwright {
namespace {

constexpr double kReferenceShare = 0.1, kMinReferences_s = 1;  // of the budget, for references
constexpr double kRaceShare = 0.2;                             // of the budget, for the races at the end
constexpr double kMaxRace = 1.5;                               // most time for them, relative to that share
constexpr double kTimeoutRatio = 5;  // a default that takes so many times as long as expected is given up

CheckEffort check_effort(const Budget& budget, const TuningLog& log) {
  CheckEffort effort{.kept_in = references_folder(log.path())};
  if (budget.seconds > 0) effort.seconds = std::max(kMinReferences_s, kReferenceShare * budget.seconds);
  return effort;
}

/// The context, whose key throws before workers start where this build cannot compile for the target.
const TaskContext& with_key(const TaskContext& context) {
  context.key();
  return context;
}

std::vector<TemplateVersion> versions_of(const SearchSpace& space) {
  std::vector<TemplateVersion> versions;
  for (const SearchSpace::Member& member : space.members()) {
    versions.push_back({member.source->name, member.source->version});
  }
  return versions;
}

}  // namespace

std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options) {
  return make_local_builder(target, {.processes = options.builders > 0 ? options.builders : Target::host().threads});
}

Tools::Tools(const TaskContext& context, TuningLog& tuning_log, const SessionOptions& session_options,
             const std::function<void(const std::string&)>& on_wait, const std::function<double()>& seconds_left)
    : space(with_key(context), session_options.template_name, session_options.restriction),
      versions(versions_of(space)),
      log(tuning_log),
      options(session_options),
      timing(timing_on(context.target().device, context.target().threads, timing_of(session_options.effort))),
      builder(session_options.builder ? session_options.builder
                                      : make_session_builder(context.target(), session_options)),
      rates(context, tuning_log, session_options.measure_limits) {
  const Task& task = context.task();
  RunnerOptions running{.target = task.target, .threads = task.target.threads};
  running.timeout_s = check_limit_s(context.definition(), kTimeoutRatio * rates.first_calls_s());
  running.caches = task.caches;
  running.seconds_left = seconds_left;
  running.timing = timing;
  running.on_wait = on_wait;
  runner = make_local_runner(make_strict_check_data(task.workload, check_effort(options.budget, log)), running);
}

std::vector<BuiltPoint> Tools::build(const std::vector<Point>& points, Pipeline pipeline,
                                     const std::function<bool()>& is_over, double part_share) {
  // Finalists are verified after every pass, as their results are reported.
  const LowerOptions lowering{.verify = pipeline == Pipeline::kFinal};
  std::vector<Lowered> lowered(points.size());
  {
    const Stopwatch watch(times.lower);
    tbb::parallel_for(std::size_t{0}, points.size(),
                      [&](std::size_t i) { lowered[i] = lower_point(space.task(), points[i], lowering); });
  }
  const Definition& definition = space.context().definition();
  std::vector<ir::Program> programs;
  std::vector<BuiltPoint> results(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto* program = std::get_if<ir::Program>(&lowered[i]);
    if (program == nullptr) continue;
    results[i].work = limit_work(least_work(*program), definition.flops, definition.bytes);
    if (part_share > 0) {
      if (std::optional<ProgramPart> part = part_of(*program, part_share, space.task().target.threads)) {
        results[i].part_ratio = part->ratio;
        *program = std::move(part->program);
      }
    }
    programs.push_back(std::move(*program));
  }
  std::vector<BuildResult> built;
  {
    const Stopwatch watch(times.compile);
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

double Tools::part_share(double incumbent_ns) const {
  if (space.task().target.device != DeviceKind::kCpu || options.part_ns <= 0 || incumbent_ns <= 0) return 0;
  const double halvings = std::round(std::log2(incumbent_ns / options.part_ns));
  return halvings < 1 ? 0 : std::exp2(-halvings);
}

RacePlan Tools::race_plan(double incumbent_ns) const {
  const double seconds = options.race_seconds > 0 ? options.race_seconds : kRaceShare * options.budget.seconds;
  RacePlan plan = plan_race(timing, incumbent_ns, seconds, options.finalists);
  if (plan.finalists > 0) plan.seconds += runner->check_preparation_s();
  // The race of a slow kernel ends before all its processes have run.
  if (seconds > 0) plan.seconds = std::min(plan.seconds, kMaxRace * seconds);
  return plan;
}

}  // namespace nestwright
