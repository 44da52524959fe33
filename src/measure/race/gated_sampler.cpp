#include "measure/race/gated_sampler.h"

#include <algorithm>
#include <utility>

namespace nestwright {

namespace {

constexpr int kMaxAttempts = 3;            // attempts before the run waits
constexpr double kMostlyDisturbed = 0.75;  // share of readings from which immediate retries are pointless
constexpr double kDecay = 1.0 / 32;        // weight of the last reading in that share

/// What the repetition of readings of `ns` takes from the wait budget.
double cost_of_again(double ns) { return ns < kLongReading_ns ? 0 : ns; }

/// The part of the timed calls in which their one thread waited for a processor.
double waited_ns(const Reading& reading) {
  constexpr double kMostShare = 0.9;
  const double timed_share = reading.span_ns > 0 ? reading.ns / reading.span_ns : 1;
  return std::min(timed_share * reading.queue_ns, kMostShare * reading.ns);
}

}  // namespace

bool WaitBudget::spend(double ns) {
  if (is_over()) return false;
  const auto elapsed = static_cast<double>(clock_.now_ns() - start_ns_);
  if (lost_ns_ + ns > kInitialNs + share_ * elapsed) return false;
  lost_ns_ += ns;
  return true;
}

std::optional<Sample> GatedSampler::take(int candidate, std::int64_t calls, bool warm_up) {
  Sample sample;
  for (int tries = 1;; ++tries) {
    const std::optional<Reading> reading = source_.sample(candidate, calls, warm_up);
    if (!reading) return std::nullopt;
    readings_ns_ += reading->ns;
    sample = {.ns = reading->ns, .fma_ns = reading->fma_ns, .disturbance = gate_.classify(*reading)};
    const bool is_disturbed = !sample.disturbance.empty();
    const double waited = is_disturbed && threads_ == 1 ? waited_ns(*reading) : 0;
    sample.call_ns = (sample.ns - waited) / static_cast<double>(calls);
    disturbed_share_ += kDecay * ((is_disturbed ? 1 : 0) - disturbed_share_);
    if (!is_disturbed) {
      pause_ns_ = kMinPauseNs;
      return sample;
    }
    const bool tries_at_once = tries < kMaxAttempts && disturbed_share_ < kMostlyDisturbed;
    const bool takes_again =
        tries_at_once ? wait_budget_.spend(cost_of_again(sample.ns)) : wait(sample.disturbance, sample.ns);
    if (!takes_again) return sample;
  }
}

PassObservation GatedSampler::observe() {
  Surroundings surroundings = source_.surroundings();
  surroundings.readings_ns = std::exchange(readings_ns_, 0);
  return {surroundings, gate_.classify(surroundings)};
}

bool GatedSampler::wait(const std::string& why, double again_ns) {
  if (!wait_budget_.spend(pause_ns_ + cost_of_again(again_ns))) return false;
  source_.pause(pause_ns_, why);
  pause_ns_ = std::min(2 * pause_ns_, kMaxPauseNs);
  return true;
}

}  // namespace nestwright
