#include "runtime/kernel.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "support/error.h"

namespace nestwright {
namespace {

std::int64_t round_up_64(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

std::int64_t workspace_bytes(const ir::Workspace& workspace, int threads) {
  return round_up_64(workspace.shared_bytes) + threads * round_up_64(workspace.per_thread_bytes);
}

CompiledKernel::CompiledKernel(nestwright_kernel entry, const ir::Workspace& workspace,
                               std::shared_ptr<ParallelPool> pool, std::shared_ptr<const void> owner)
    : entry_(entry), pool_(std::move(pool)), owner_(std::move(owner)) {
  check(entry_ != nullptr && pool_ != nullptr, "a kernel needs an entry and a pool");
  const std::int64_t bytes = workspace_bytes(workspace, pool_->threads());
  if (bytes > 0) {
    workspace_.reset(std::aligned_alloc(64, static_cast<std::size_t>(bytes)));
    if (workspace_ == nullptr) throw std::bad_alloc();
  }
}

std::int32_t CompiledKernel::call(std::span<void* const> buffers, std::span<const std::int64_t> symbols) const {
  return entry_(buffers.data(), symbols.data(), workspace_.get(), pool_->abi());
}

void CompiledKernel::Free::operator()(void* memory) const { std::free(memory); }

}  // namespace nestwright
