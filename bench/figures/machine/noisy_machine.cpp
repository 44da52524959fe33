#include "bench/figures/machine/noisy_machine.h"

#include <algorithm>
#include <limits>

namespace nestwright::bench {

namespace {

constexpr double kFma_ns = 8e3, kWalk_ns = 400e3, kAccounting_ns = 2e3;
constexpr double kStep_ns = 1e6;  // interval in which drift is treated as constant

}  // namespace

NoisyMachine::NoisyMachine(std::vector<PlantedKernel> kernels, const Disturbances& disturbances, std::uint64_t seed)
    : kernels_(std::move(kernels)), disturbances_(disturbances), random_(seed) {
  catch_up();
}

void NoisyMachine::catch_up() {
  if (disturbances_.mean_length_ns <= 0) {
    is_disturbed_ = false;
    change_ns_ = std::numeric_limits<double>::infinity();
  }
  while (change_ns_ <= now_ns_) {
    is_disturbed_ = !is_disturbed_;
    change_ns_ += exponential(is_disturbed_ ? disturbances_.mean_length_ns : disturbances_.mean_quiet_ns);
  }
}

double NoisyMachine::stretch(const Work& work) const {
  const double drift = 1 + disturbances_.drift * std::min(1.0, now_ns_ / disturbances_.drift_ns);
  if (!is_disturbed_) return drift;
  const Slowdown& slowdown = disturbances_.slowdown;
  return drift * slowdown.core * (work.is_sentinel ? slowdown.sentinel : 1) *
         (1 + work.memory_share * (slowdown.memory - 1));
}

double NoisyMachine::run(const Work& work) {
  const double start = now_ns_;
  for (double left = work.ns; left > 0;) {
    catch_up();
    const double slow = stretch(work);
    const double step = std::min({left * slow, kStep_ns, change_ns_ - now_ns_});
    now_ns_ += step;
    left -= step / slow;
    if (left * slow < 1e-3) break;  // rounding
  }
  return now_ns_ - start;
}

double NoisyMachine::scatter() {
  const double usual = std::normal_distribution<double>(1, 0.004)(random_);
  return random_() % 32 == 0 ? usual + exponential(0.03) : usual;
}

double NoisyMachine::fma_sentinel() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double noise = std::abs(std::normal_distribution<double>(0, 0.005)(random_));
    least = std::min(least, run({kFma_ns * (1 + noise), 0, true}));
  }
  return least;
}

double NoisyMachine::check(int kernel) {
  const PlantedKernel& k = kernels_.at(static_cast<std::size_t>(kernel));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i) least = std::min(least, run({k.call_ns * scatter(), k.memory_share, false}));
  return least;
}

std::optional<Reading> NoisyMachine::sample(int racer, std::int64_t calls, bool warm_up) {
  const int kernel = entered_.empty() ? racer : entered_.at(static_cast<std::size_t>(racer));
  const PlantedKernel& k = kernels_.at(static_cast<std::size_t>(kernel));
  Reading reading;
  reading.fma_ns = fma_sentinel();
  if (warm_up) run({k.call_ns, k.memory_share, false});
  reading.ns = run({k.call_ns * static_cast<double>(calls) * scatter(), k.memory_share, false});
  reading.cpu_ns = reading.ns;  // whoever shares the core's units and caches takes no CPU time away
  run({kAccounting_ns, 0, false});
  reading.fma_ns = std::max(reading.fma_ns, fma_sentinel());
  return reading;
}

Surroundings NoisyMachine::surroundings() {
  const double noise = std::abs(std::normal_distribution<double>(0, 0.05)(random_));
  return {run({kWalk_ns * (1 + noise), 1, false}), 0};
}

void NoisyMachine::pause(double ns, const std::string&) {
  now_ns_ += ns;
  paused_ns_ += ns;
}

}  // namespace nestwright::bench
