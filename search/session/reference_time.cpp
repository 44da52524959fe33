#include "search/session/reference_time.h"

#include <optional>

#include "search/budget/stopwatch.h"

namespace nestwright {
namespace {

constexpr double kSlowAnchor = 8;   // times as slow as the incumbent: too slow to be sampled again
constexpr double kTooLow = 1.03;    // corrected reference time, relative to the one so far: that was wrong
constexpr int kMaxCorrections = 5;  // measurements in a session that look for a wrong reference time

bool has_anchor(const SessionState& session) {
  return session.anchor && session.incumbent && session.anchor->trial != session.incumbent->trial;
}

/// The time of the incumbent by fresh samples beside the anchor; nullopt where they were disturbed.
std::optional<double> time_by_anchor(SessionState& session) {
  const Stopwatch watch(session.result.times.measure);
  const RunResult ran = session.runner->run({{&session.incumbent->object}},
                                            Contender{&session.anchor->object, session.anchor->reference_ns});
  if (!is_sound(ran.measurements[0]) || ran.incumbent_failed) return std::nullopt;
  return ran.measurements[0].timing.median_ns;
}

/// Multiplies the times of the incumbent and of the trials that were scored against it by `factor`.
void scale_trials(SessionState& session, double factor) {
  const Stopwatch watch(session.result.times.log);
  const TrialId incumbent = session.incumbent->trial;
  for (TimedTrial& trial : session.sound_trials) {
    if (trial.scored_by != incumbent && trial.trial != incumbent) continue;
    Measurement* const known = session.known_code.measurement_of(trial.trial);
    if (known == nullptr) continue;
    Measurement m = *known;
    scale_scores(m.timing, factor);
    m.check_ms = m.measure_ms = 0;  // the log adds them to those of the trial
    if (!session.log.remeasure(session.id, trial.trial, m)) continue;
    known->timing = m.timing;
    trial.median_ns = m.timing.median_ns;
    session.rescored.push_back(trial_of(trial.point, m));
  }
}

}  // namespace

void renew_reference_time(SessionState& session) {
  if (!has_anchor(session)) return;
  if (session.anchor->reference_ns > kSlowAnchor * session.incumbent->reference_ns) return;
  if (const std::optional<double> ns = time_by_anchor(session)) session.incumbent->reference_ns = *ns;
}

double correct_reference_time(SessionState& session) {
  if (!has_anchor(session) || session.incumbent->is_rough || session.corrections++ >= kMaxCorrections) return 1;
  const std::optional<double> ns = time_by_anchor(session);
  if (!ns || *ns < kTooLow * session.incumbent->reference_ns) return 1;
  const double factor = *ns / session.incumbent->reference_ns;
  session.incumbent->reference_ns = *ns;
  scale_trials(session, factor);
  return factor;
}

}  // namespace nestwright
