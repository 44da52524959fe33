#include "ir/analysis/in_place.h"
#include "lower/passes.h"

namespace nestwright::passes {

ir::Program find_in_place(ir::Program program, PassContext&) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (program.parameters[p].role != ir::Role::kOutput) continue;
    program.parameters[p].in_place_of = ir::find_in_place_input(program, static_cast<int>(p));
  }
  return program;
}

}  // namespace nestwright::passes
