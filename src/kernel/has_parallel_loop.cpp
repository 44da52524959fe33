#include "kernel/has_parallel_loop.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"

namespace nestwright {

bool has_parallel_loop(const ir::Program& program) {
  const auto is_parallel = [](const ir::Stmt& s) {
    const auto* loop = s.as<ir::For>();
    return loop != nullptr && loop->kind == ir::LoopKind::kParallel;
  };
  return ir::any_stmt(program.host, is_parallel) ||
         std::any_of(program.kernels.begin(), program.kernels.end(),
                     [&](const ir::Kernel& kernel) { return ir::any_stmt(kernel.body, is_parallel); });
}

}  // namespace nestwright
