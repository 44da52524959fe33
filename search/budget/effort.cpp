#include "search/budget/effort.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "nestwright/error.h"

namespace nestwright {
namespace {

struct Row {
  const char* name;
  EffortPlan plan;
};

constexpr std::array<Row, 3> kRows = {{
    {"quick", {.seconds = 10, .until_gain = 0.02, .finalists = 3, .processes = 7, .finalist_samples = 3}},
    {"normal", {.seconds = 60, .until_gain = 0.01, .finalists = 4, .processes = 8, .finalist_samples = 5}},
    {"full", {.seconds = 600, .until_gain = 0, .finalists = 8, .processes = 16, .finalist_samples = 5}},
}};

const Row& row_of(Effort effort) { return kRows[static_cast<std::size_t>(effort)]; }

}  // namespace

const char* effort_name(Effort effort) { return row_of(effort).name; }

std::vector<std::string> effort_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

Effort parse_effort(std::string_view name) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return name == r.name; });
  if (row == kRows.end()) {
    throw UsageError(fmt::format("unknown effort '{}': use one of {}", name, fmt::join(effort_names(), ", ")));
  }
  return static_cast<Effort>(row - kRows.begin());
}

EffortPlan plan_of(Effort effort) { return row_of(effort).plan; }

TimingOptions timing_of(Effort effort) {
  const EffortPlan plan = plan_of(effort);
  TimingOptions timing;
  timing.finalist_samples = plan.finalist_samples;
  timing.finalist_processes = plan.processes;
  timing.max_finalist_processes = 2 * plan.processes;
  return timing;
}

void complete(Budget& budget, Effort effort) {
  if (budget.seconds > 0 || budget.trials > 0) return;
  const EffortPlan plan = plan_of(effort);
  budget.seconds = plan.seconds;
  budget.until_gain = plan.until_gain;
}

SessionOptions session_options(Effort effort, const Budget& budget) {
  SessionOptions options{.budget = budget, .effort = effort, .finalists = plan_of(effort).finalists};
  complete(options.budget, effort);
  return options;
}

}  // namespace nestwright
