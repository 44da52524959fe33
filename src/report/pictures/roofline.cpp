#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "cost_model/features.h"
#include "nestwright/error.h"
#include "report/pictures/sections.h"
#include "report/recorded_program.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxLowered = 200;  // which takes a second where lowering is slow

/// The trials whose times are comparable: the fastest, then the others in a random order.
std::vector<std::size_t> trials_to_lower(const TaskData& data) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    if (compared_ns(data, i) > 0) chosen.push_back(i);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return compared_ns(data, a) < compared_ns(data, b); });
  if (chosen.size() > kMaxLowered / 4) {
    std::mt19937_64 random(1);
    std::shuffle(chosen.begin() + kMaxLowered / 4, chosen.end(), random);
  }
  return chosen;
}

/// What the program of a trial executes and moves; absent if it cannot be lowered here.
std::optional<ProgramCounts> counts_of(const TaskContext& context, const TrialColumns& trials, std::size_t trial) {
  try {
    const std::optional<ir::Program> program =
        recorded_program(context, trials.spaces[trials.space[trial]], Config::parse(trials.config(trial)));
    return program ? std::optional(program_counts(*program)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Series roof(const std::string& name, double peak_gflops, double gb_s, double from, double to) {
  Series series{name, Mark::kLine, {}, {}, {}, {}, {}};
  const double ridge = gb_s > 0 ? std::clamp(peak_gflops / gb_s, from, to) : from;
  for (const double x : {from, ridge, to}) {
    series.x.push_back(x);
    series.y.push_back(gb_s > 0 ? std::min(peak_gflops, gb_s * x) : peak_gflops);
  }
  return series;
}

}  // namespace

Section roofline_section(const TaskData& data) {
  if (!data.context || data.flops <= 0 || data.peak_gflops <= 0) return {};
  const TrialColumns& trials = data.trials;
  Series places{"trials", Mark::kDots, {}, {}, {}, {}, {}};
  Series best{"best trial", Mark::kPoints, {}, {}, {}, {}, {}};
  const std::vector<std::size_t> chosen = trials_to_lower(data);
  for (std::size_t i = 0; i < std::min(chosen.size(), kMaxLowered); ++i) {
    const std::optional<ProgramCounts> counts = counts_of(*data.context, trials, chosen[i]);
    if (!counts || counts->l2_bytes <= 0 || counts->flops <= 0) continue;
    for (Series* series : {&places, &best}) {
      if (series == &best && i > 0) continue;
      series->x.push_back(counts->flops / counts->l2_bytes);
      series->y.push_back(data.flops / compared_ns(data, chosen[i]));
    }
  }
  if (places.x.empty()) return {};
  const auto [least, most] = std::minmax_element(places.x.begin(), places.x.end());
  const double from = std::min(*least, 1.0) / 2, to = std::max(*most, 16.0) * 2;
  Section section{"Roofline", "", {}, {}, {}, false};
  section.note = fmt::format(
      "{} of {} trials, the fastest quarter of them and a sample of the others. Intensity: the operations that the "
      "trial's own program executes per byte that its loops move into the L2, by whole cache lines, as the cost model "
      "counts them. The peak is the highest rate of multiply-adds ever measured on {} threads of the machine, for the "
      "type of the task{}.",
      places.x.size(), chosen.size(), data.task.key.threads,
      data.memory_gb_s > 0 ? "; the bandwidth of memory was measured when this report was made" : "");
  section.note += unit_note(data);
  Chart chart{"Speed against intensity",
              "",
              {"operations per byte", true, false, {}},
              {"GFLOP/s", true, false, {}},
              {},
              {},
              false};
  chart.series.push_back(std::move(places));
  if (!best.x.empty()) chart.series.push_back(std::move(best));
  if (data.memory_gb_s > 0) {
    chart.series.push_back(
        roof(fmt::format("memory, {:.1f} GB/s", data.memory_gb_s), data.peak_gflops, data.memory_gb_s, from, to));
  }
  chart.series.push_back(
      roof(fmt::format("L1, {:.1f} GB/s", data.limits.read_gb_s), data.peak_gflops, data.limits.read_gb_s, from, to));
  section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace nestwright::report
