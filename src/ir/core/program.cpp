#include "nestwright/program.h"

#include "support/base/round_up.h"

namespace nestwright::ir {

std::optional<std::int64_t> count_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
  }
  return elements;
}

std::int64_t aligned_workspace_bytes(std::int64_t bytes) { return round_up(bytes, kWorkspaceAlignment); }

Expr aligned_workspace_bytes(const Expr& bytes) {
  return (bytes + (kWorkspaceAlignment - 1)) / Expr(kWorkspaceAlignment) * Expr(kWorkspaceAlignment);
}

}  // namespace nestwright::ir
