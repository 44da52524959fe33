#include <fmt/format.h>

#include <algorithm>

#include "report/pictures/sections.h"

namespace nestwright::report {
namespace {

struct Quartiles {
  int trials = 0;
  double least = 0, low = 0, median = 0, high = 0;
};

Quartiles quartiles(std::vector<double> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {  // between the two nearest
    const double place = share * static_cast<double>(times.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, times.size() - 1);
    return times[below] + (place - static_cast<double>(below)) * (times[above] - times[below]);
  };
  return {static_cast<int>(times.size()), times.front(), at(0.25), at(0.5), at(0.75)};
}

}  // namespace

Section knob_section(const TaskData& data) {
  const TrialColumns& trials = data.trials;
  Section section{"Knobs",
                  "The times of the trials by the value of each knob, with the quartiles of each value. A search tries "
                  "good values more often, so a count says as much as a time." +
                      unit_note(data),
                  {},
                  {},
                  {},
                  false};
  for (std::size_t k = 0; k < trials.knobs.size(); ++k) {
    const KnobColumn& column = trials.knobs[k];
    if (column.values.size() < 2) continue;
    std::vector<std::vector<double>> times(column.values.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const double ns = compared_ns(data, i);
      if (ns > 0 && column.value[i] >= 0) times[static_cast<std::size_t>(column.value[i])].push_back(ns);
    }
    Chart chart{column.knob,
                trials.spaces[column.space].name,
                {"", false, false, column.values},
                {"time", true, true, {}},
                {},
                {},
                false};
    Series middle{"median, with the quartiles", Mark::kPoints, {}, {}, {}, {}, {}};
    Series least{"best", Mark::kPoints, {}, {}, {}, {}, {}};
    for (std::size_t v = 0; v < times.size(); ++v) {
      const Quartiles of = quartiles(std::move(times[v]));
      if (of.trials == 0) continue;
      const auto x = static_cast<double>(v);
      middle.x.push_back(x);
      middle.y.push_back(of.median);
      middle.low.push_back(of.low);
      middle.high.push_back(of.high);
      middle.labels.push_back(fmt::format("{}={}, {} trials", column.knob, column.values[v], of.trials));
      least.x.push_back(x);
      least.y.push_back(of.least);
    }
    if (middle.x.empty()) continue;
    chart.series = {std::move(middle), std::move(least)};
    chart.trials.push_back({"trials", fmt::format("knob:{}", k), "compared", 0});
    section.charts.push_back(std::move(chart));
  }
  return section;
}

}  // namespace nestwright::report
