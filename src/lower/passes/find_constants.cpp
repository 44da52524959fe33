#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"

namespace nestwright::passes {
namespace {

using ir::Stmt;

bool accesses(const Stmt& body, const ir::Buffer& buffer) {
  const auto loads = [&](const ir::Expr& e) {
    const auto* load = e.as<ir::Load>();
    return load != nullptr && load->buffer == buffer;
  };
  const auto prefetches = [&](const Stmt& s) {
    const auto* prefetch = s.as<ir::Prefetch>();
    return prefetch != nullptr && prefetch->buffer == buffer;
  };
  return ir::any_expr(body, loads) || ir::any_stmt(body, prefetches);
}

}  // namespace

ir::Program find_constants(ir::Program program, PassContext&) {
  for (ir::Parameter& parameter : program.parameters) {
    parameter.is_constant = parameter.role == ir::Role::kInput && program.preparation.defined() &&
                            accesses(program.kernels[1].body, parameter.buffer) &&
                            !accesses(program.kernels[0].body, parameter.buffer);
  }
  return program;
}

}  // namespace nestwright::passes
