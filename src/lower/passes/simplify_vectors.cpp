#include "ir/simplify/simplify.h"
#include "lower/passes.h"

namespace nestwright::passes {

ir::Program simplify_vectors(ir::Program program, PassContext&) {
  return on_kernels(std::move(program), [](const ir::Stmt& body) { return ir::simplify(body); });
}

}  // namespace nestwright::passes
