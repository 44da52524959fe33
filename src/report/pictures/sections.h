// The sections of a task's page, each in a file of its own. A section without pictures, tables and texts is not shown.
// Thread rule: pure functions, except that best_section() and roofline_section() lower and compile kernels.
#pragma once

#include "report/page/page.h"
#include "report/task_data.h"

namespace nestwright::report {

/// The best so far of each session, against trials and against seconds, with its interval and what confirmed it.
Section search_section(const TaskData& data);
/// The medians of every process of every finalist in the last race.
Section race_section(const TaskData& data);
/// How trials ended, and the most frequent messages.
Section outcome_section(const TaskData& data);
/// The trials below the highest rates of the machine.
Section roofline_section(const TaskData& data);
/// How many points reached each stage of the search.
Section funnel_section(const TaskData& data);
/// What became of every value of every knob.
Section value_section(const TaskData& data);
/// The times of the trials by the value of each knob.
Section knob_section(const TaskData& data);
/// What each knob is worth by a model of the trials, and the two that depend on each other most.
Section importance_section(const TaskData& data);
/// All trials.
Section trial_section(const TaskData& data);
/// The best configuration, its loops and its innermost code.
Section best_section(const TaskData& data);
/// The sessions, the machine and what compiled the kernels.
Section provenance_section(const TaskData& data);

}  // namespace nestwright::report
