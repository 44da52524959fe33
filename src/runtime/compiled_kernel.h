// A compiled CPU program that can be called: its entry, its workspace and the pool that runs its parallel loops.
// Thread rule: one caller at a time, because calls share the workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nestwright/kernel_abi.h"
#include "nestwright/parallel_pool.h"
#include "nestwright/program.h"

namespace nestwright {

/// Returns the size of the workspace that a caller of a kernel provides for `threads` threads, laid out as in
/// kernel_abi.h, when the program's `symbols` have `values`. Throws UsageError if it exceeds 64 bits.
std::int64_t workspace_bytes(const ir::Workspace& workspace, int threads, std::span<const ir::Var> symbols = {},
                             std::span<const std::int64_t> values = {});

class CompiledKernel {
 public:
  /// `owner` keeps the code at `entry` alive (a LoadedObject, a shared library); null if something else does. `pool`
  /// must not be null. `symbols` are those of the program, in order.
  CompiledKernel(nestwright_kernel entry, const ir::Workspace& workspace, std::shared_ptr<ParallelPool> pool,
                 std::shared_ptr<const void> owner, std::vector<ir::Var> symbols = {});

  /// Runs the program on one pointer per parameter and one value per symbol, in order. The memory that they point to
  /// must be as large and as aligned as the program's buffers require; nothing is checked here. Returns the entry's
  /// result, 0 on success. A workspace whose size depends on symbols grows if a call needs more than the ones before;
  /// throws UsageError if there is no memory for it or its size exceeds 64 bits.
  std::int32_t call(std::span<void* const> buffers, std::span<const std::int64_t> symbols = {}) const;

 private:
  struct Free {
    void operator()(void* memory) const;
  };

  /// Replaces the workspace by one of at least `bytes`, unless it is large enough.
  void reserve(std::int64_t bytes) const;

  nestwright_kernel entry_;
  ir::Workspace sizes_;
  std::vector<ir::Var> symbols_;
  mutable std::unique_ptr<void, Free> workspace_;
  mutable std::int64_t workspace_bytes_ = 0;
  std::shared_ptr<ParallelPool> pool_;
  std::shared_ptr<const void> owner_;
};

}  // namespace nestwright
