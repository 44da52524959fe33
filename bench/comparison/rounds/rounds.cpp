#include "bench/comparison/rounds/rounds.h"

#include <algorithm>
#include <array>
#include <random>

#include "bench/comparison/timing/control.h"

namespace nestwright::bench {

void run_rounds(Comparison& comparison, std::vector<Contestant>& contestants, CopyControl& copy, std::uint64_t seed) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Contestant& c = contestants[i];
    comparison.series.push_back({c.name(), c.detail(), c.readiness() == Readiness::kRefused, {}});
    if (c.readiness() == Readiness::kReady) order.push_back(i);
  }
  if (order.empty()) comparison.rounds_asked = 0;

  const int threads = comparison.subject.threads;
  std::mt19937_64 random(seed);
  while (!comparison.is_complete() &&
         static_cast<int>(comparison.peaks_gflops.size()) + comparison.dropped < 3 * comparison.rounds_asked) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Sample> samples;
    std::array<Control, 2> controls;
    controls[0] = measure_control(threads);
    for (const std::size_t i : order) samples.push_back(contestants[i].sample());
    const double copied_gb_s = copy.measure_gb_s();
    controls[1] = measure_control(threads);
    if (!round_counts(threads, controls, samples)) {
      ++comparison.dropped;
      continue;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      comparison.series[order[i]].times_ns.push_back(samples[i].time_ns);
    }
    comparison.copies_gb_s.push_back(copied_gb_s);
    // The higher of the two: a disturbance can only lower a control.
    comparison.peaks_gflops.push_back(std::max(controls[0].all_threads_gflops, controls[1].all_threads_gflops));
  }
}

}  // namespace nestwright::bench
