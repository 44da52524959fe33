#include "search/trials/session_trials.h"

#include <algorithm>
#include <iterator>

namespace nestwright {
namespace {

constexpr int kMaxCorrections = 5;  // measurements in a session that look for a wrong reference time

}  // namespace

void SessionTrials::remember(TrialId trial, const Point& point, const Measurement& measurement, const TrialCode& code) {
  if (code.same_as == 0) known_code_.add(code.identity, trial, measurement);
  note_default(trial, point, measurement.outcome, code);
}

void SessionTrials::note_default(TrialId trial, const Point& point, Outcome outcome, const TrialCode& code) {
  const bool is_default = point == default_point_;
  if (is_default && outcome == Outcome::kOk) default_trial_ = code.same_as == 0 ? trial : code.same_as;
}

void SessionTrials::note_timed(TrialId trial, const Point& point, const Measurement& measurement) {
  if (!is_timed(measurement)) return;
  std::erase_if(timed_, [&](const SessionTrial& other) { return other.id == trial && other.is_disturbed(); });
  timed_.push_back(session_trial(trial, point, measurement));
  scored_by_[trial] = incumbent_ ? incumbent_->id : 0;
}

std::vector<SessionTrial> SessionTrials::timed(TrialQuality quality) const {
  std::vector<SessionTrial> trials;
  std::ranges::copy_if(timed_, std::back_inserter(trials),
                       [&](const SessionTrial& trial) { return trial.quality == quality; });
  return trials;
}

std::vector<SessionTrial> SessionTrials::sound() const { return timed(TrialQuality::kSound); }
std::vector<SessionTrial> SessionTrials::disturbed() const { return timed(TrialQuality::kDisturbed); }

void SessionTrials::set_incumbent(SessionTrial trial, BuiltPoint kernel) {
  incumbent_ = std::move(trial);
  incumbent_kernel_ = std::move(kernel);
  incumbent_part_.reset();
}

void SessionTrials::provide_anchor() {
  if (anchor_) return;
  anchor_ = incumbent_;
  anchor_kernel_ = incumbent_kernel_;
}

void SessionTrials::drop_incumbent() {
  if (!has_other_anchor()) anchor_.reset();
  incumbent_ = anchor_;
  incumbent_kernel_ = anchor_kernel_;
  incumbent_part_.reset();
}

void SessionTrials::settle_unit(double factor) {
  for (std::optional<SessionTrial>* reference : {&incumbent_, &anchor_}) {
    if (!*reference) continue;
    (*reference)->ns *= factor;
    (*reference)->quality = TrialQuality::kSound;
  }
}

bool SessionTrials::takes_unit() { return anchor_ && !anchor_->is_disturbed() && !std::exchange(has_unit_, true); }

bool SessionTrials::may_correct() { return corrections_++ < kMaxCorrections; }

std::vector<SessionTrial> SessionTrials::scored_by_incumbent() const {
  std::vector<SessionTrial> trials = sound();
  std::erase_if(trials, [&](const SessionTrial& trial) {
    const bool is_scored_by_it = trial.id == incumbent_->id || scored_by_.at(trial.id) == incumbent_->id;
    return !is_scored_by_it || known_code_.measurement_of(trial.id) == nullptr;
  });
  return trials;
}

void SessionTrials::rescore(const SessionTrial& trial, const Measurement& measurement) {
  known_code_.rescore(trial.id, measurement.timing);
  for (SessionTrial& timed : timed_) {
    if (timed.id == trial.id && timed.is_sound()) timed.ns = measurement.timing.median_ns;
  }
  rescored_.push_back(session_trial(trial.id, trial.point, measurement));
}

}  // namespace nestwright
