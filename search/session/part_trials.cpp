#include "search/session/part_trials.h"

#include <algorithm>
#include <utility>

#include "search/budget/stopwatch.h"
#include "search/session/chunk.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxKept = 64;
constexpr double kShare = 0.2;  // of a search, for confirmations
// Calls of a confirmation, of both kernels: the check, one call before the incumbent is timed, and the pairs; only the
// check where a call takes seconds.
constexpr double kCalls = 11, kCallsWhenChecked = 2, kCheckedOnlyNs = 2e9;
constexpr double kCompile_s = 0.1;

}  // namespace

double confirmation_s(double call_ns) {
  return kCompile_s + 1e-9 * call_ns * (call_ns > kCheckedOnlyNs ? kCallsWhenChecked : kCalls);
}

void PartTrials::add(PartTrial trial, const Measurement& measurement, bool seems_faster) {
  const Timing& timing = measurement.timing;
  const bool is_timed = measurement.outcome == Outcome::kOk && timing.median_ns > 0 && !timing.ended_early;
  if (!is_timed || timing.part_ratio == 0) return;
  trial.estimated_ns = timing.median_ns;
  trial.seems_faster = seems_faster;
  if (timing.is_disturbed()) trial.slowest_ns = timing.high_ns;
  const auto at = std::upper_bound(trials_.begin(), trials_.end(), trial, [](const PartTrial& a, const PartTrial& b) {
    return a.estimated_ns < b.estimated_ns;
  });
  trials_.insert(at, std::move(trial));
  if (trials_.size() > kMaxKept) trials_.pop_back();
}

std::optional<PartTrial> PartTrials::take(std::size_t index) {
  PartTrial taken = std::move(trials_[index]);
  trials_.erase(trials_.begin() + static_cast<std::ptrdiff_t>(index));
  return taken;
}

std::optional<PartTrial> PartTrials::take_during_search(double incumbent_ns, double elapsed_s) {
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].estimated_ns >= incumbent_ns) break;
    const bool is_always_faster = trials_[i].slowest_ns > 0 && trials_[i].slowest_ns < incumbent_ns;
    if (!trials_[i].seems_faster && !is_always_faster) continue;
    if (spent_s_ + confirmation_s(incumbent_ns) > kShare * elapsed_s) break;
    return take(i);
  }
  return std::nullopt;
}

std::optional<PartTrial> PartTrials::take_at_end(double incumbent_ns, double left_s) {
  if (reserve_s(incumbent_ns) == 0) return std::nullopt;
  if (std::exchange(has_ended_, true) && reserve_s(incumbent_ns) > left_s) return std::nullopt;
  return take(0);
}

double PartTrials::reserve_s(double incumbent_ns) const {
  if (trials_.empty() || trials_.front().estimated_ns >= incumbent_ns) return 0;
  return confirmation_s(incumbent_ns);
}

WholeTrial confirm_whole(SessionTrials& trials, Tools& tools, const PartTrial& trial,
                         const std::function<bool()>& is_over) {
  const std::vector<BuiltPoint> built = tools.build({trial.point}, Pipeline::kSearch);
  const ChunkResult chunk = run_confirmation(trials, tools, built.front(), is_over);
  WholeTrial whole;
  Measurement m = chunk.measurements.front().value();
  m.compile_ms = built.front().result.compile_ms;
  const std::string& code = built.front().result.object.code_fingerprint;
  bool is_recorded = false;
  {
    const Stopwatch watch(tools.times.log);
    is_recorded = tools.log.remeasure(tools.id, trial.trial, m, code);
  }
  if (!is_recorded) return whole;
  trials.forget_code(trial.code);
  trials.remember(trial.trial, trial.point, m, {code, 0});
  trials.note_timed(trial.trial, trial.point, m);
  whole.ratio = update_references(trials, tools, chunk, {&trial.point, 1}, built, {&trial.trial, 1});
  whole.measurement = std::move(m);
  return whole;
}

}  // namespace nestwright
