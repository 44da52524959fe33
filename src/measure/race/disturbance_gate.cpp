#include "measure/race/disturbance_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nestwright {

namespace {

constexpr std::size_t kWindow = 256;     // readings: about a second of sampling
constexpr std::size_t kMinReadings = 5;  // before there is a norm
constexpr double kQuantile = 0.2;

}  // namespace

double DisturbanceGate::Norm::learn(double ns) {
  double norm = 0;
  if (recent_.size() >= kMinReadings) {
    std::vector<double> sorted(recent_.begin(), recent_.end());
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(kQuantile * static_cast<double>(sorted.size()));
    std::nth_element(sorted.begin(), at, sorted.end());
    norm = *at;
  }
  recent_.push_back(ns);
  if (recent_.size() > kWindow) recent_.pop_front();
  return norm;
}

std::string DisturbanceGate::classify(const Reading& reading) {
  const bool is_long = reading.ns >= options_.long_reading_ns;
  if (reading.fma_ns > 0) {
    const double norm = fma_.learn(reading.fma_ns);
    if (!is_long && norm > 0 && reading.fma_ns > (1 + options_.fma_tolerance) * norm) {
      return fmt::format("the FMA loop took {:.2f} times its norm", reading.fma_ns / norm);
    }
  }
  if (reading.cpu_ns <= 0) return {};
  const double whole = reading.span_ns > 0 ? reading.span_ns : reading.ns;
  const double share = (is_long ? options_.long_lost_share : options_.lost_share) * whole;
  const double limit = std::max(options_.lost_ns, share);
  if (reading.queue_ns > limit) {
    return fmt::format("a thread waited {:.0f} us for a processor", reading.queue_ns * 1e-3);
  }
  const double lost = whole - reading.cpu_ns;
  if (lost > limit) return fmt::format("the processor was away for {:.0f} us", lost * 1e-3);
  const double limit_if_switched = std::max(options_.switch_ns, share);
  if (reading.involuntary_switches > 0 && std::max(lost, reading.queue_ns) > limit_if_switched) {
    return fmt::format("{} involuntary switches", reading.involuntary_switches);
  }
  return {};
}

std::string DisturbanceGate::classify(const Surroundings& surroundings) {
  const bool is_long = surroundings.readings_ns >= options_.long_pass_ns;
  if (surroundings.walk_ns > 0) {
    const double norm = walk_.learn(surroundings.walk_ns);
    if (!is_long && norm > 0 && surroundings.walk_ns > (1 + options_.walk_tolerance) * norm) {
      return fmt::format("the walk through memory took {:.2f} times its norm", surroundings.walk_ns / norm);
    }
  }
  const double share = is_long ? options_.long_lost_share : options_.lost_share;
  if (surroundings.steal_ns > share * surroundings.readings_ns) {
    return fmt::format("the hypervisor took {:.0f} ms", surroundings.steal_ns * 1e-6);
  }
  return {};
}

}  // namespace nestwright
