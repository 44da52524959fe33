#include "search/space/point.h"

#include <fmt/format.h>

#include "nestwright/error.h"
#include "templates/framework/space/discover.h"

namespace nestwright {

std::optional<Point> find_point(const TaskContext& context, const Point& point) {
  try {
    const Template& source = *context.templates(point.template_name).front();
    if (source.name != point.template_name || source.version != point.version) return std::nullopt;
    const ConfigSpace branch = discover_branch(source, context.workload(), context.target(), point.config);
    return Point{point.template_name, point.version, branch.resolve(point.config)};
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

Instance instantiate(const Task& task, const Point& point) {
  const Template* const source = task.workload.op->find_template(point.template_name);
  if (source == nullptr || source->version != point.version) refuse_template(task, point);
  return instantiate(*source, task.workload, task.target, point.config);
}

void refuse_template(const Task& task, const Point& point) {
  throw UsageError(fmt::format("template {} version {} is not one of this build: tune '{}' again", point.template_name,
                               point.version, task.workload.str()));
}

}  // namespace nestwright
