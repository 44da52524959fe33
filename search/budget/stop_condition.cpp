#include "search/budget/stop_condition.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

StopCondition::StopCondition(const Budget& budget, Clock& clock, const std::atomic<bool>* interrupt)
    : budget_(budget), clock_(clock), interrupt_(interrupt), start_ns_(clock.now_ns()) {}

void StopCondition::count_trial(bool improved) {
  ++trials_;
  has_best_ = has_best_ || improved;
  since_better_ = improved ? 0 : since_better_ + 1;
}

void StopCondition::note_improvement(double ratio) { improvements_.push_back({seconds(), ratio}); }

double StopCondition::seconds() const { return static_cast<double>(clock_.now_ns() - start_ns_) * 1e-9; }

void StopCondition::limit(std::int64_t trials, double seconds) {
  budget_.trials = trials > 0 ? trials_ + trials : 0;
  budget_.seconds = seconds > 0 ? this->seconds() + seconds : 0;
}

std::int64_t StopCondition::allowed(std::int64_t wanted) const {
  return budget_.trials == 0 ? wanted : std::clamp<std::int64_t>(budget_.trials - trials_, 0, wanted);
}

void StopCondition::note_best() {
  has_best_ = true;
  since_better_ = 0;
}

std::string StopCondition::reason(double reserve_s) const {
  if (is_interrupted()) return "interrupted";
  if (all_failed()) return fmt::format("the first {} trials all failed", trials_);
  if (budget_.trials > 0 && trials_ >= budget_.trials) return fmt::format("{} trials done", budget_.trials);
  if (budget_.seconds > 0 && seconds() >= budget_.seconds - reserve_s) {
    return fmt::format("{:g} seconds are over", budget_.seconds);
  }
  if (budget_.early_stop > 0 && since_better_ >= budget_.early_stop) {
    return fmt::format("nothing better in {} trials", budget_.early_stop);
  }
  return reason_of_gain();
}

std::optional<double> StopCondition::remaining_gain() const {
  if (!has_best_ || !outlook_) return std::nullopt;
  if (outlook_->has_starting_points || trials_ < kMinTrials * outlook_->templates) return std::nullopt;
  return nestwright::remaining_gain(improvements_, seconds(), *outlook_);
}

std::string StopCondition::reason_of_gain() const {
  if (budget_.until_gain == 0) return {};
  const std::optional<double> gain = remaining_gain();
  if (!gain || *gain >= budget_.until_gain) return {};
  return fmt::format("as much time again is expected to gain {:.2g}%, less than {:g}%", 100 * *gain,
                     100 * budget_.until_gain);
}

}  // namespace nestwright
