#include "ir/analysis/symbol_ranges.h"
#include "ir/simplify/simplify.h"
#include "lower/passes.h"

namespace nestwright::passes {

ir::Program simplify_loops(ir::Program program, PassContext&) {
  const ir::Ranges symbols = ir::ranges_of_symbols(program);
  return on_kernels(std::move(program), [&](const ir::Stmt& body) { return ir::simplify(body, symbols); });
}

}  // namespace nestwright::passes
