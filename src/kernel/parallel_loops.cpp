#include "kernel/parallel_loops.h"

#include "ir/rewrite.h"

namespace nestwright {

bool has_parallel_loop(const ir::Program& program) {
  bool found = false;
  const auto look = [&](const ir::Stmt& s) {
    const auto* loop = s.as<ir::For>();
    found = found || (loop != nullptr && loop->kind == ir::LoopKind::kParallel);
  };
  ir::for_each_stmt(program.host, look);
  for (const ir::Kernel& kernel : program.kernels) ir::for_each_stmt(kernel.body, look);
  return found;
}

}  // namespace nestwright
