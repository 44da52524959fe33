#include "search/reference_time.h"

#include <optional>
#include <span>

#include "search/stopwatch.h"

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
                                            Incumbent{&session.anchor->object, session.anchor->reference_ns});
  if (!is_sound(ran.measurements[0]) || ran.incumbent_failed) return std::nullopt;
  return ran.measurements[0].timing.median_ns;
}

/// Multiplies the times of the trials that were scored against the incumbent, and its own, by `factor`.
std::vector<Trial> scale_trials(SessionState& session, std::span<TimedTrial> timed, double factor) {
  const Stopwatch watch(session.result.times.log);
  std::vector<Trial> scaled;
  for (TimedTrial& trial : timed) {
    if (trial.trial <= session.incumbent->scored_after && trial.trial != session.incumbent->trial) continue;
    const Measurement* m = session.known_code.scale(trial.trial, factor);
    if (m == nullptr || !session.log.remeasure(session.id, trial.trial, *m)) continue;
    trial.median_ns = m->timing.median_ns;
    scaled.push_back(trial_of(trial.point, *m));
  }
  return scaled;
}

}  // namespace

void renew_reference_time(SessionState& session) {
  if (!has_anchor(session)) return;
  if (session.anchor->reference_ns > kSlowAnchor * session.incumbent->reference_ns) return;
  if (const std::optional<double> ns = time_by_anchor(session)) session.incumbent->reference_ns = *ns;
}

std::vector<Trial> correct_reference_time(SessionState& session) {
  if (!has_anchor(session) || session.incumbent->is_rough || session.corrections++ >= kMaxCorrections) return {};
  const std::optional<double> ns = time_by_anchor(session);
  if (!ns || *ns < kTooLow * session.incumbent->reference_ns) return {};
  const double factor = *ns / session.incumbent->reference_ns;
  session.incumbent->reference_ns = *ns;
  return scale_trials(session, session.sound_trials, factor);
}

}  // namespace nestwright
