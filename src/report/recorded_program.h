// Lowers a configuration that a log recorded.
// Thread rule: a pure function.
#pragma once

#include <optional>

#include "nestwright/lookup.h"
#include "nestwright/program.h"

namespace nestwright::report {

/// Returns the program of the recorded point in loop form; absent if the task has no such version of the template.
/// `config` need not be resolved. Throws what program_of() does.
std::optional<ir::Program> recorded_program(const TaskContext& context, const TemplateVersion& source,
                                            const Config& config);

}  // namespace nestwright::report
