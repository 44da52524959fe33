#include "bench/compare/rounds.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "bench/compare/control.h"

namespace nestwright::bench {

Comparison run_rounds(const Problem& problem, int threads, std::vector<Contestant>& contestants, int rounds,
                      std::uint64_t seed) {
  Comparison comparison{.problem = problem, .threads = threads};
  for (const Contestant& contestant : contestants)
    comparison.series.push_back({contestant.name(), contestant.detail(), {}});

  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), 0);
  for (int counted = 0; counted < rounds && counted + comparison.dropped < 3 * rounds;) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Sample> samples(contestants.size());
    std::array<Control, 2> controls;
    controls[0] = measure_control();
    for (const std::size_t i : order) samples[i] = contestants[i].sample();
    controls[1] = measure_control();
    if (!round_counts(threads, controls, samples)) {
      ++comparison.dropped;
      continue;
    }
    for (std::size_t i = 0; i < samples.size(); ++i) comparison.series[i].times_ns.push_back(samples[i].time_ns);
    // The higher one: a control can only read too little.
    comparison.peaks_gflops.push_back(threads == 1
                                          ? std::max(controls[0].one_thread_gflops, controls[1].one_thread_gflops)
                                          : std::max(controls[0].two_thread_gflops, controls[1].two_thread_gflops));
    ++counted;
  }
  return comparison;
}

}  // namespace nestwright::bench
