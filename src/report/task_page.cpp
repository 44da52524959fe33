#include "report/task_page.h"

#include <fmt/format.h>

#include "report/pictures/sections.h"

namespace nestwright::report {

TaskPage task_page(TaskData data) {
  TaskPage page;
  page.name = data.name;
  page.measure_command = data.measure_command;
  for (const auto section :
       {best_section, search_section, race_section, funnel_section, outcome_section, roofline_section, knob_section,
        value_section, importance_section, trial_section, provenance_section}) {
    page.sections.push_back(section(data));
  }
  page.trials = std::move(data.trials);
  return page;
}

}  // namespace nestwright::report
