#include "findings/funnel.h"

#include <fmt/format.h>

#include <cmath>

#include "report/pictures/sections.h"

namespace nestwright::report {
namespace {

/// The stages in order, with their counts; NaN where one is not known.
std::vector<std::pair<const char*, double>> stages_of(const FunnelStages& stages) {
  const auto count = [](std::int64_t number) { return static_cast<double>(number); };
  std::vector<std::pair<const char*, double>> list;
  if (stages.valid)
    list.emplace_back(stages.valid->estimated ? "valid points, about" : "valid points", stages.valid->points);
  if (stages.considered) {
    list.emplace_back("sampled", count(stages.considered->sampled));
    list.emplace_back("ranked", count(stages.considered->ranked));
  }
  list.insert(list.end(), {{"proposed", count(stages.proposed)},
                           {"tried", count(stages.tried)},
                           {"built", count(stages.built)},
                           {"right", count(stages.right)},
                           {"timed", count(stages.timed)},
                           {"confirmed", count(stages.confirmed)},
                           {"raced", count(stages.raced)}});
  return list;
}

}  // namespace

Section funnel_section(const TaskData& data) {
  if (!data.context) return {};
  const Funnel funnel = funnel_of(*data.context, data.spaces, data.sessions, data.proposals, data.races, data.trials);
  Section section{"From the space to the best", "", {}, {}, {}, false};
  section.note =
      "How many points reached each stage. Starting points and what strategies breed are proposed without being "
      "sampled. "
      "Confirmed: checked and timed to the end, on a quiet machine.";
  Chart chart{"Points by stage", "", {"points", true, false, {}}, {"", false, false, {}}, {}, {}, true};
  Series bars{"points", Mark::kBars, {}, {}, {}, {}, {}};
  for (const auto& [stage, points] : stages_of(funnel.task)) {
    bars.y.push_back(static_cast<double>(chart.y.categories.size()));
    bars.x.push_back(points > 0 ? points : NAN);  // on a logarithmic axis
    chart.y.categories.push_back(fmt::format("{} ({:.6g})", stage, points));
  }
  chart.series.push_back(std::move(bars));
  section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace nestwright::report
