#include "report/recorded_program.h"

namespace nestwright::report {

std::optional<ir::Program> recorded_program(const TaskContext& context, const TemplateVersion& source,
                                            const Config& config) {
  for (const Template* from : context.templates()) {
    if (from->name != source.name || from->version != source.version) continue;
    return program_of(context.task(), *from, context.space(*from).resolve(config), "kernel");
  }
  return std::nullopt;
}

}  // namespace nestwright::report
