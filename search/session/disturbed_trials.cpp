#include "search/session/disturbed_trials.h"

#include <algorithm>

#include "search/budget/stopwatch.h"
#include "search/session/chunk.h"

namespace nestwright {

void DisturbedTrials::add(const SessionTrial& trial, const BuiltPoint& kernel) {
  const auto at = std::ranges::upper_bound(kept_.trials, trial.ns, {}, &SessionTrial::ns);
  kept_.kernels.insert(kept_.kernels.begin() + (at - kept_.trials.begin()), kernel);
  kept_.trials.insert(at, trial);
  if (kept_.trials.size() <= kMaxKept) return;
  kept_.trials.pop_back();
  kept_.kernels.pop_back();
}

KeptTrials DisturbedTrials::take(std::size_t n, const KnownCode& known_code) {
  KeptTrials taken, left;
  for (std::size_t i = 0; i < kept_.trials.size(); ++i) {
    const KnownCode::Known* known = known_code.find(kept_.kernels[i].result.object.code_fingerprint);
    if (known != nullptr && !known->measurement.timing.is_disturbed()) continue;
    KeptTrials& to = taken.trials.size() < n ? taken : left;
    to.trials.push_back(std::move(kept_.trials[i]));
    to.kernels.push_back(std::move(kept_.kernels[i]));
  }
  kept_ = std::move(left);
  return taken;
}

MeasuredAgain measure_again(SessionTrials& trials, Tools& tools, const KeptTrials& again,
                            const std::function<bool()>& is_over) {
  std::vector<Point> points;
  std::vector<TrialId> ids;
  for (const SessionTrial& trial : again.trials) {
    points.push_back(trial.point);
    ids.push_back(trial.id);
  }
  const ChunkResult chunk = run_chunk(trials, tools, again.kernels, {}, is_over);
  MeasuredAgain measured;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Measurement m = chunk.measurements[i].value();
    if (m.outcome == Outcome::kOk && m.timing.is_disturbed()) continue;
    if (tools.log.may_be_best(ids[i])) continue;  // another session has measured it meanwhile
    m.compile_ms = again.kernels[i].result.compile_ms;
    {
      const Stopwatch watch(tools.times.log);
      if (!tools.log.remeasure(tools.id, ids[i], m)) continue;
    }
    trials.remember(ids[i], points[i], m, {again.kernels[i].result.object.code_fingerprint, 0});
    trials.note_timed(ids[i], points[i], m);
    measured.trials.emplace_back(i, std::move(m));
  }
  measured.ratio = update_references(trials, tools, chunk, points, again.kernels, ids);
  return measured;
}

}  // namespace nestwright
