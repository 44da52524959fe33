#include "bench/figures/tunings/pairs.h"

#include <fmt/format.h>

#include <cstdio>

namespace nestwright::bench {

std::vector<PairedRace> race_pairs(const TwoKernels& kernels, LoadKind load, int races) {
  const std::unique_ptr<Runner> runner = make_task_runner(kernels.task);
  Load running(load);
  std::vector<PairedRace> done;
  while (static_cast<int>(done.size()) < races) {
    const std::vector<Timing> timings = race_kernels(*runner, {kernels.first, kernels.second});
    done.push_back(paired_race(timings[0], timings[1]));
    if (done.size() % 50 == 0) {
      running.check_running();
      fmt::print(stderr, "load {}: {} races\n", name_of(load), done.size());
    }
  }
  running.check_running();
  return done;
}

nlohmann::json races_json(const std::vector<PairedRace>& races) {
  nlohmann::json list = nlohmann::json::array();
  for (const PairedRace& race : races) {
    list.push_back({{"ratio", race.ratio.median},
                    {"low", race.ratio.low},
                    {"high", race.ratio.high},
                    {"time_half_width", race.time_half_width},
                    {"disturbance", race.disturbance}});
  }
  return list;
}

void add_tally_rows(std::vector<FigureRow>& rows, const std::string& condition, const Tally& tally) {
  rows.push_back(
      {condition + ": races, of these disturbed", fmt::format("{}, {}", tally.races, tally.disturbed), {}, {}});
  rows.push_back(row_at_most(condition + ": half-width of the ratio, median", tally.ratio_half_width, 0.02, "%"));
  rows.push_back(row_at_most(condition + ": half-width of the time, median", tally.time_half_width, 0.03, "%"));
}

}  // namespace nestwright::bench
