// What can be done with one point of a task's search space, without the rest of the space.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "nestwright/lookup.h"
#include "nestwright/records.h"
#include "nestwright/template.h"

namespace nestwright {

/// The point that a log specifies, with its labels resolved, of any template that serves the task. nullopt where there
/// is none, for example because it is of another version of the template. Runs the template once, where discovering the
/// whole space runs it for every combination of choices.
std::optional<Point> find_point(const TaskContext& context, const Point& point);

/// Applies the template to the point. Throws ScheduleError or UsageError for an invalid point.
Instance instantiate(const Task& task, const Point& point);

/// Throws UsageError: this build does not have the point's template in its version.
[[noreturn]] void refuse_template(const Task& task, const Point& point);

}  // namespace nestwright
