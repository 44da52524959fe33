#include <fmt/format.h>

#include "ir/verify/fragments.h"
#include "lower/passes.h"
#include "nestwright/error.h"

namespace nestwright::passes {

ir::Program check_fragments(ir::Program program, PassContext&) {
  const std::vector<std::string> problems = ir::check_fragments(program);
  if (!problems.empty()) throw LowerError(fmt::format("{}: {}", program.name, problems.front()));
  return program;
}

}  // namespace nestwright::passes
