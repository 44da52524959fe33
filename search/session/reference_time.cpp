#include "search/session/reference_time.h"

#include <optional>

#include "measure/race/scale_scores.h"
#include "search/budget/stopwatch.h"

namespace nestwright {
namespace {

constexpr double kSlowAnchor = 8;  // times as slow as the incumbent: too slow to be sampled again
constexpr double kTooLow = 1.03;   // corrected reference time, relative to the one so far: that was wrong

/// The time of the incumbent by fresh samples beside the anchor; nullopt where they were disturbed.
std::optional<double> time_by_anchor(const SessionTrials& trials, Tools& tools) {
  const Stopwatch watch(tools.times.measure);
  const RunResult ran = tools.runner->run({{&trials.incumbent_kernel().result.object}},
                                          Contender{&trials.anchor_kernel().result.object, trials.anchor()->ns});
  if (!is_sound(ran.measurements[0]) || ran.incumbent_failed) return std::nullopt;
  return ran.measurements[0].timing.median_ns;
}

/// Multiplies the times of the incumbent and of the trials that were scored against it by `factor`.
void scale_trials(SessionTrials& trials, Tools& tools, double factor) {
  const Stopwatch watch(tools.times.log);
  for (const SessionTrial& trial : trials.scored_by_incumbent()) {
    Measurement m = *trials.known_code().measurement_of(trial.id);
    scale_scores(m.timing, factor);
    m.check_ms = m.measure_ms = 0;  // the log adds them to those of the trial
    if (tools.log.remeasure(tools.id, trial.id, m)) trials.rescore(trial, m);
  }
}

}  // namespace

void renew_reference_time(SessionTrials& trials, Tools& tools) {
  if (!trials.has_other_anchor() || trials.anchor()->ns > kSlowAnchor * trials.incumbent_ns()) return;
  if (const std::optional<double> ns = time_by_anchor(trials, tools)) trials.set_incumbent_ns(*ns);
}

double correct_reference_time(SessionTrials& trials, Tools& tools) {
  if (!trials.has_other_anchor() || trials.has_rough_unit() || !trials.may_correct()) return 1;
  const std::optional<double> ns = time_by_anchor(trials, tools);
  if (!ns || *ns < kTooLow * trials.incumbent_ns()) return 1;
  const double factor = *ns / trials.incumbent_ns();
  trials.set_incumbent_ns(*ns);
  scale_trials(trials, tools, factor);
  return factor;
}

}  // namespace nestwright
