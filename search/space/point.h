// A point of a task's search space, and what can be done with one point without the rest of the space.
// Thread rule: values and pure functions.
#pragma once

#include <optional>
#include <string>

#include "nestwright/lookup.h"
#include "nestwright/template.h"

namespace nestwright {

/// A point of the space: template, version and configuration.
struct Point {
  std::string template_name;
  int version = 0;
  Config config;
  /// Stable text that identifies the point.
  std::string key() const;
  friend bool operator==(const Point&, const Point&) = default;
};

/// The point that a log specifies, with its labels resolved, of any template that serves the task. nullopt where there
/// is none, for example because it is of another version of the template. Runs the template once, where discovering the
/// whole space runs it for every combination of choices.
std::optional<Point> find_point(const TaskContext& context, const std::string& template_name, int version,
                                const Config& config);

/// Applies the template to the point. Throws ScheduleError or UsageError for an invalid point.
Instance instantiate(const Task& task, const Point& point);

/// Throws UsageError: this build does not have the point's template in its version.
[[noreturn]] void refuse_template(const Task& task, const Point& point);

}  // namespace nestwright
