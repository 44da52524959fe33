#include <algorithm>

#include "ir/rewrite.h"
#include "lower/passes.h"

namespace nestwright::passes {
namespace {

using ir::Stmt;

bool accesses(const Stmt& body, const ir::Buffer& buffer) {
  bool found = false;
  ir::for_each_expr(body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::Load>();
    found = found || (load != nullptr && load->buffer == buffer);
  });
  ir::for_each_stmt(body, [&](const Stmt& s) {
    const auto* prefetch = s.as<ir::Prefetch>();
    found = found || (prefetch != nullptr && prefetch->buffer == buffer);
  });
  return found;
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
