#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "findings/comparable_times.h"
#include "findings/value_table.h"
#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

/// Why the value was not tried; empty where it was.
std::string reason_of(const ValueFinding& value) {
  switch (value.fate) {
    case ValueFate::kTried:
      return "";
    case ValueFate::kPending:
      return "proposed, and not measured yet: the time was over";
    case ValueFate::kRuledOut: {
      std::vector<std::string> sets;
      for (const auto& set : value.excluded_by) sets.push_back(fmt::format("{}", fmt::join(set, " and ")));
      return fmt::format("no valid point has it: {}", fmt::join(sets, "; or "));
    }
    case ValueFate::kRestricted:
      return "every session stayed within " + value.scope;
    case ValueFate::kRankedLow:
      return fmt::format("in {} points that were ranked: slower by the model's prediction",
                         std::max(value.considered.sampled, value.considered.ranked));
    case ValueFate::kNotConsidered:
      return "in none of the points that were sampled: a larger budget may reach it";
    case ValueFate::kUnknown:
      return "the sessions did not record what they sampled";
  }
  return "";
}

}  // namespace

Section value_section(const TaskData& data) {
  if (!data.context) return {};
  const ComparableTimes times = comparable_times(data.sessions, data.trials);
  Section section{"Every value of every knob", "", {}, {}, {}, false};
  section.note = fmt::format(
      "What became of each: tried, with its best time{}; ruled out, with the constraints without which a valid point "
      "would have it; or never proposed, and why.",
      times.is_partial ? fmt::format(" in the unit of session {}, where that is known", times.unit) : "");
  for (const TemplateValues& of : value_table(*data.context, data.sessions, data.proposals, data.trials, times,
                                              {.knob = "", .counts_expected = false})) {
    Table table{of.source.name, "", {"knob", "value", "became", "trials", "best", "why not tried"}, {}};
    for (const KnobValues& knob : of.knobs) {
      for (const ValueFinding& value : knob.values) {
        const bool is_timed = value.best_ns > 0;
        table.rows.push_back(
            {knob.only_with.empty() ? knob.knob : fmt::format("{} (with {})", knob.knob, knob.only_with), value.value,
             fate_name(value.fate), fmt::to_string(value.trials),
             is_timed ? (value.is_rough ? "about " : "") + format_time(value.best_ns) : "", reason_of(value)});
      }
    }
    if (!table.rows.empty()) section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace nestwright::report
