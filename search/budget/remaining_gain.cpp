#include "search/budget/remaining_gain.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright {
namespace {

constexpr std::array kDoublingWeights = {4.0 / 7, 2.0 / 7, 1.0 / 7};  // the last doubling first

/// Expected logarithm of the speed-up by the history alone.
double by_history(std::span<const Improvement> history, double seconds) {
  double gain = 0, last = seconds;
  for (const double weight : kDoublingWeights) {
    const double first = last / 2;
    for (const Improvement& step : history) {
      if (step.seconds > first && step.seconds <= last) gain += weight * std::log(step.ratio);
    }
    last = first;
  }
  return gain;
}

}  // namespace

double remaining_gain(std::span<const Improvement> history, double seconds, const SearchOutlook& outlook) {
  double gain = std::exp(by_history(history, seconds)) - 1;
  const double trust = outlook.model_skill.value_or(0);
  if (outlook.predicted_gain) gain = (gain + trust * std::max(*outlook.predicted_gain, 0.0)) / (1 + trust);
  if (outlook.roofline_share && *outlook.roofline_share > 0) {
    gain = std::min(gain, std::max(1 / *outlook.roofline_share - 1, 0.0));
  }
  return gain;
}

}  // namespace nestwright
