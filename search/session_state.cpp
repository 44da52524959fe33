#include "search/session_state.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "lookup/task_key.h"
#include "search/check_data.h"
#include "search/stopwatch.h"
#include "support/error.h"

namespace nestwright {
namespace {

constexpr double kRaceShare = 0.15;  // of the budget, for the finalists
constexpr int kGuests = 2;           // the stored best and the default race as well
constexpr double kCompile_s = 0.06;  // of one entrant, by the final pipeline
constexpr int kChecks = 4;           // calls of an entrant before the race

/// Seconds that one entrant adds to the final race.
double entrant_s(const TimingOptions& timing, double kernel_ns) {
  const double sample_ns = std::max(kernel_ns, 1.2 * timing.sample_ns);
  const int samples = timing.finalist_samples_of(sample_ns) + timing.samples_of(sample_ns, timing.rounds.front());
  return kCompile_s + 1e-9 * (kChecks * kernel_ns + samples * sample_ns);
}

}  // namespace

std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options) {
  return make_local_builder(target, {.processes = options.builders > 0 ? options.builders : Target::host().threads});
}

SessionState::SessionState(const Task& task, TuningLog& tuning_log, const SessionOptions& session_options)
    : log(tuning_log),
      options(session_options),
      timing(timing_on(task.target.device)),
      key(task_key(task)),
      space(task, options.template_name),
      builder(session_options.builder ? session_options.builder : make_session_builder(task.target, session_options)),
      runner(
          make_local_runner(make_check_data(task.workload), {.target = task.target, .threads = task.target.threads})) {
  for (const SearchSpace::Member& member : space.members()) {
    versions.push_back({member.source->name, member.source->version});
  }
}

void SessionState::remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code) {
  if (code.same_as == 0) known_code.add(code.identity, trial, measurement);
  const bool is_default = !space.seeds().empty() && point == space.seeds().front();
  if (is_default && measurement.outcome == Outcome::kOk) default_trial = code.same_as == 0 ? trial : code.same_as;
}

std::vector<BuildResult> SessionState::build(const std::vector<Point>& points, Pipeline pipeline) {
  std::vector<Lowered> lowered(points.size());
  {
    const Stopwatch watch(result.times.lower);
    tbb::parallel_for(std::size_t{0}, points.size(),
                      [&](std::size_t i) { lowered[i] = lower_point(space, points[i]); });
  }
  std::vector<BuildRequest> requests;
  for (Lowered& candidate : lowered) {
    if (auto* program = std::get_if<ir::Program>(&candidate)) requests.push_back({std::move(*program), pipeline});
  }
  std::vector<BuildResult> built;
  {
    const Stopwatch watch(result.times.compile);
    built = builder->build(requests);
  }
  std::vector<BuildResult> results;
  auto next = built.begin();
  for (const Lowered& candidate : lowered) {
    if (const auto* refusal = std::get_if<std::string>(&candidate)) {
      results.push_back({.outcome = Outcome::kInvalidConfig, .message = *refusal});
    } else {
      results.push_back(std::move(*next++));
    }
  }
  return results;
}

int SessionState::finalists() const {
  const double seconds = options.race_seconds > 0 ? options.race_seconds : kRaceShare * options.budget.seconds;
  if (seconds <= 0) return options.finalists;
  const double affordable = seconds / entrant_s(timing, incumbent_ns);
  return std::clamp(static_cast<int>(affordable), 1, options.finalists);
}

double SessionState::race_seconds() const { return (finalists() + kGuests) * entrant_s(timing, incumbent_ns); }

}  // namespace nestwright
