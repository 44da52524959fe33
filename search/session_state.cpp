#include "search/session_state.h"

#include <tbb/parallel_for.h>

#include "lookup/task_key.h"
#include "search/check_data.h"
#include "search/stopwatch.h"
#include "support/error.h"

namespace nestwright {
namespace {

int builder_count(const SessionOptions& options) {
  return options.builders > 0 ? options.builders : Target::host().threads;
}

}  // namespace

SessionState::SessionState(const Task& task, TuningLog& tuning_log, const SessionOptions& session_options)
    : log(tuning_log),
      options(session_options),
      key(task_key(task)),
      space(task),
      builder(make_local_builder(task.target, {.processes = builder_count(session_options)})),
      runner(make_local_runner(make_check_data(task.workload), {.threads = task.target.threads})) {
  for (const SearchSpace::Member& member : space.members()) {
    versions.push_back({member.source->name, member.source->version});
  }
}

std::vector<BuildResult> SessionState::build(const std::vector<Point>& points, Pipeline pipeline) {
  std::vector<Lowered> lowered(points.size());
  {
    const Stopwatch watch(result.times.lower);
    tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t i) { lowered[i] = lower_point(space, points[i]); });
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

}  // namespace nestwright
