#include "ir/gpu/swizzle.h"

#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

std::set<Buffer> swizzled_buffers(const Stmt& kernel) {
  std::set<Buffer> buffers;
  for_each_stmt(kernel, [&](const Stmt& s) {
    const auto* instruction = s.as<TensorInstruction>();
    if (instruction == nullptr) return;
    if (instruction->swizzles_a) buffers.insert(instruction->operands[2].buffer);
    if (instruction->swizzles_b) buffers.insert(instruction->operands[5].buffer);
  });
  return buffers;
}

}  // namespace nestwright::ir
