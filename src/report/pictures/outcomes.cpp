#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "findings/failures.h"
#include "report/pictures/sections.h"
#include "support/base/shell_word.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxCauses = 12;

std::string end_name(const TrialColumns& trials, std::size_t i) {
  if (trials.outcome[i] != static_cast<std::uint8_t>(Outcome::kOk)) {
    return outcome_name(static_cast<Outcome>(trials.outcome[i]));
  }
  if (trials.has(i, kIsCopy)) return "ok, code known";
  if (trials.has(i, kIsDisturbed)) return "ok, disturbed";
  if (trials.has(i, kIsPart)) return "ok, a part timed";
  if (trials.has(i, kEndedEarly)) return "ok, ended early";
  return "ok, timed";
}

}  // namespace

Section outcome_section(const TaskData& data) {
  const TrialColumns& trials = data.trials;
  if (trials.size() == 0) return {};
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    ++counts[end_name(trials, i)];
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Chart chart{"Trials by outcome", "", {"trials", false, false, {}}, {"", false, false, {}}, {}, {}, true};
  Series bars{"trials", Mark::kBars, {}, {}, {}, {}, {}};
  Table table{"Outcomes", "", {"outcome", "trials", "share"}, {}};
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    chart.y.categories.push_back(fmt::format("{} ({})", sorted[k].first, sorted[k].second));
    bars.x.push_back(sorted[k].second);
    bars.y.push_back(static_cast<double>(k));
    table.rows.push_back({sorted[k].first, fmt::to_string(sorted[k].second),
                          fmt::format("{:.1f}%", 100.0 * sorted[k].second / static_cast<double>(trials.size()))});
  }
  chart.series.push_back(std::move(bars));

  std::vector<FailureCause> causes = failure_causes(trials);
  Table failures{"Causes of failures",
                 "Messages that differ in numbers only are one cause. The last column is the command that repeats the "
                 "example alone, with the worker's output.",
                 {"trials", "outcome", "message", "example", "command"},
                 {}};
  if (causes.size() > kMaxCauses) {
    failures.note +=
        fmt::format(" The {} most frequent of {}; the table of trials has all.", kMaxCauses, causes.size());
    causes.resize(kMaxCauses);
  }
  for (const FailureCause& cause : causes) {
    const std::size_t example = cause.example;
    failures.rows.push_back(
        {fmt::to_string(cause.trials), outcome_name(cause.outcome), cause.message, fmt::to_string(trials.id[example]),
         data.measure_command.empty()
             ? ""
             : fmt::format("{} --template {} --config {}", data.measure_command,
                           shell_word(trials.spaces[trials.space[example]].name), shell_word(trials.config(example)))});
  }
  Section section{"Outcomes", "", {std::move(table)}, {std::move(chart)}, {}, false};
  if (!failures.rows.empty()) section.tables.push_back(std::move(failures));
  return section;
}

}  // namespace nestwright::report
