#include "kernel/task_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/traversal/rewrite.h"

namespace nestwright {

std::vector<ir::Requirement> task_limits(const ir::Program& program) {
  std::vector<ir::Requirement> limits;
  constexpr std::int64_t kMaxTasks = std::numeric_limits<std::int32_t>::max();
  const auto is_other = [&](const ir::Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    return part.as<ir::Load>() != nullptr ||
           (ref != nullptr &&
            std::find(program.symbols.begin(), program.symbols.end(), ref->var) == program.symbols.end());
  };
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* loop = s.as<ir::For>();
      if (loop == nullptr || loop->kind != ir::LoopKind::kParallel) return;
      if (ir::as_const_int(loop->extent) != nullptr || ir::any_expr(loop->extent, is_other)) return;
      limits.push_back(
          {ir::Expr(kMaxTasks) - loop->extent,
           fmt::format("the parallel loop {} has more than {} iterations: split it", loop->var.name(), kMaxTasks)});
    });
  }
  return limits;
}

}  // namespace nestwright
