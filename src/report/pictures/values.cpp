#include <fmt/format.h>

#include "findings/value_reason.h"
#include "findings/value_table.h"
#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {

Section value_section(const TaskData& data) {
  if (!data.context) return {};
  Section section{"Every value of every knob", "", {}, {}, {}, false};
  section.note = fmt::format(
      "What became of each: tried, with its best time{}; ruled out, with the constraints without which a valid point "
      "would have it; or never proposed, and why.",
      data.times.is_partial ? fmt::format(" in the unit of session {}, where that is known", data.times.unit) : "");
  for (const TemplateValues& of : value_table(*data.context, data.sessions, data.proposals, data.trials, data.times,
                                              {.knob = "", .counts_expected = false})) {
    Table table{of.source.name, "", {"knob", "value", "became", "trials", "best", "why not tried"}, {}};
    for (const KnobValues& knob : of.knobs) {
      for (const ValueFinding& value : knob.values) {
        const bool is_timed = value.best_ns > 0;
        table.rows.push_back(
            {knob.only_with.empty() ? knob.knob : fmt::format("{} (with {})", knob.knob, knob.only_with), value.value,
             status_name(value.status), fmt::to_string(value.trials),
             is_timed ? (value.is_rough ? "about " : "") + format_time(value.best_ns) : "", value_reason(value)});
      }
    }
    if (!table.rows.empty()) section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace nestwright::report
