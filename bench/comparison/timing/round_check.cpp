#include "bench/comparison/timing/round_check.h"

#include <algorithm>

namespace nestwright::bench {

bool round_counts(int threads, std::span<const Control> controls, std::span<const Sample> samples) {
  if (threads < 2) {
    return std::all_of(samples.begin(), samples.end(), [](const Sample& s) { return s.cpu_share >= kMinCpuShare; });
  }
  return std::all_of(controls.begin(), controls.end(),
                     [](const Control& c) { return c.scaling() >= kMinScalingPerThread * c.threads; });
}

}  // namespace nestwright::bench
