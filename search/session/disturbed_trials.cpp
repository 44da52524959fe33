#include "search/session/disturbed_trials.h"

#include "search/budget/stopwatch.h"
#include "search/session/chunk.h"

namespace nestwright {

MeasuredAgain measure_again(SessionState& session, const std::vector<DisturbedTrial>& again,
                            const std::function<bool()>& is_over) {
  std::vector<BuiltPoint> built;
  std::vector<Point> points;
  std::vector<TrialId> trials;
  for (const DisturbedTrial& trial : again) {
    built.push_back(trial.built);
    points.push_back(trial.point);
    trials.push_back(trial.trial);
  }
  const ChunkResult chunk = run_chunk(session, built, {}, is_over);
  MeasuredAgain measured;
  for (std::size_t i = 0; i < again.size(); ++i) {
    Measurement m = chunk.measurements[i].value();
    if (m.outcome == Outcome::kOk && m.timing.is_disturbed()) continue;
    if (session.log.may_be_best(trials[i])) continue;  // another session has measured it meanwhile
    m.compile_ms = again[i].built.result.compile_ms;
    {
      const Stopwatch watch(session.result.times.log);
      if (!session.log.remeasure(session.id, trials[i], m)) continue;
    }
    ++session.result.remeasured;
    session.remember(trials[i], points[i], m, {built[i].result.object.code_fingerprint, 0});
    session.note_timed(trials[i], points[i], m);
    measured.trials.emplace_back(i, std::move(m));
  }
  measured.ratio = update_references(session, chunk, points, built, trials);
  return measured;
}

}  // namespace nestwright
