#include "runtime/compiled_kernel.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "ir/analysis/evaluate.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

[[noreturn]] void refuse() {
  throw UsageError("the kernel's workspace exceeds 64 bits: use smaller extents, or compute stages at inner loops");
}

}  // namespace

std::int64_t workspace_bytes(const ir::Workspace& workspace, int threads, std::span<const ir::Var> symbols,
                             std::span<const std::int64_t> values) {
  const auto bytes = [&](std::int64_t constant, const ir::Expr& symbolic) {
    if (!symbolic.defined()) return ir::aligned_workspace_bytes(constant);
    constexpr std::int64_t kAdded = ir::kWorkspaceAlignment - 1;  // by aligned_workspace_bytes()
    std::int64_t sum = 0;
    if (__builtin_add_overflow(constant + kAdded, ir::evaluate(symbolic, symbols, values), &sum)) refuse();
    return ir::aligned_workspace_bytes(sum - kAdded);
  };
  const std::int64_t shared = bytes(workspace.shared_bytes, workspace.symbolic_shared_bytes);
  std::int64_t private_parts = bytes(workspace.per_thread_bytes, workspace.symbolic_per_thread_bytes), all = 0;
  if (__builtin_mul_overflow(private_parts, std::int64_t{threads}, &private_parts) ||
      __builtin_add_overflow(shared, private_parts, &all)) {
    refuse();
  }
  return all;
}

CompiledKernel::CompiledKernel(nestwright_kernel entry, const ir::Workspace& workspace,
                               std::shared_ptr<ParallelPool> pool, std::shared_ptr<const void> owner,
                               std::vector<ir::Var> symbols)
    : entry_(entry), sizes_(workspace), symbols_(std::move(symbols)), pool_(std::move(pool)), owner_(std::move(owner)) {
  check(entry_ != nullptr && pool_ != nullptr, "a kernel needs an entry and a pool");
  if (!sizes_.is_symbolic()) reserve(workspace_bytes(sizes_, pool_->threads()));
}

std::int32_t CompiledKernel::call(std::span<void* const> buffers, std::span<const std::int64_t> symbols) const {
  if (sizes_.is_symbolic()) reserve(workspace_bytes(sizes_, pool_->threads(), symbols_, symbols));
  return entry_(buffers.data(), symbols.data(), workspace_.get(), pool_->abi());
}

void CompiledKernel::reserve(std::int64_t bytes) const {
  if (bytes <= workspace_bytes_) return;
  workspace_bytes_ = 0;
  workspace_.reset();  // first, so that the old and the new one need not fit into memory together
  workspace_.reset(std::aligned_alloc(ir::kWorkspaceAlignment, static_cast<std::size_t>(bytes)));
  if (workspace_ == nullptr) {
    throw UsageError("the kernel's workspace of " + std::to_string(bytes) +
                     " bytes does not fit into memory: use smaller extents, or compute stages at inner loops");
  }
  workspace_bytes_ = bytes;
}

void CompiledKernel::Free::operator()(void* memory) const { std::free(memory); }

}  // namespace nestwright
