// The pools that run a kernel's parallel loops, all behind the C interface nestwright_parallel (runtime/kernel_abi.h),
// so that a kernel never knows which one it has. Thread rule: a pool serves one caller at a time; different pools are
// independent. An idle spinning pool disturbs what is timed beside it: keep one alive at a time where time is measured.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/kernel_abi.h"

namespace nestwright {

enum class PoolKind {
  kSerial,  ///< the caller's thread alone
  kTbb,     ///< oneTBB with a static partition; takes about 14 us to wake up
  kSpin,    ///< our own threads: they spin for 50 us after a loop, then sleep; quick to start small kernels
};
const char* pool_name(PoolKind kind);  // "serial", "tbb", "spin"
/// The inverse of pool_name. Throws UsageError that lists the names.
PoolKind parse_pool(std::string_view name);

class ParallelPool {
 public:
  virtual ~ParallelPool() = default;
  /// What kernels are handed; valid as long as the pool lives.
  const nestwright_parallel* abi() const { return &abi_; }
  int threads() const { return abi_.threads; }

 protected:
  ParallelPool() = default;
  ParallelPool(const ParallelPool&) = delete;
  ParallelPool& operator=(const ParallelPool&) = delete;
  nestwright_parallel abi_{};
};

/// A pool of `threads` threads, the caller among them. Tasks go out in contiguous shares, one a thread; of a spinning
/// pool, the caller runs the tasks of threads that have not begun. A serial pool has one thread whatever is asked for.
/// Throws UsageError where threads < 1.
std::unique_ptr<ParallelPool> make_pool(PoolKind kind, int threads);

}  // namespace nestwright
