#include "search/space/point.h"

#include <fmt/format.h>

#include "nestwright/error.h"
#include "templates/framework/space/discover.h"

namespace nestwright {

std::string Point::key() const { return fmt::format("{} v{} {}", template_name, version, config.str()); }

std::optional<Point> find_point(const TaskContext& context, const std::string& template_name, int version,
                                const Config& config) {
  try {
    const Template& source = *context.templates(template_name).front();
    if (source.name != template_name || source.version != version) return std::nullopt;
    const ConfigSpace branch = discover_branch(source, context.workload(), context.target(), config);
    return Point{template_name, version, branch.resolve(config)};
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
