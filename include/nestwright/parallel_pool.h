// The thread pools that run the parallel loops of kernels, behind the C interface nestwright_parallel
// (nestwright/kernel_abi.h), so that a kernel does not depend on which pool it gets.
// Thread rule: a pool serves one caller at a time; different pools are independent. An idle spinning pool disturbs
// timings beside it: keep at most one alive while time is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "nestwright/kernel_abi.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// The kinds of pools.
enum class PoolKind {
  kSerial,  ///< only the caller's thread
  kTbb,     ///< oneTBB with a static partition; takes about 14 us to wake up, and the kernel places its threads
  kSpin,    ///< our own threads on processors of their own; they spin for 50 us after a loop, then sleep
};
const char* pool_name(PoolKind kind);  // "serial", "tbb", "spin"
/// The inverse of pool_name. Throws UsageError that lists the names.
PoolKind parse_pool(std::string_view name);

/// A thread pool behind the C interface.
class ParallelPool {
 public:
  virtual ~ParallelPool() = default;
  /// The interface to pass to kernels; valid as long as the pool lives.
  const nestwright_parallel* abi() const { return &abi_; }
  int threads() const { return abi_.threads; }

 protected:
  ParallelPool() = default;
  ParallelPool(const ParallelPool&) = delete;
  ParallelPool& operator=(const ParallelPool&) = delete;
  nestwright_parallel abi_{};
};

/// Makes a pool of `threads` threads, including the caller's. Each thread gets a contiguous share of the tasks; in a
/// spinning pool the caller runs the tasks of threads that have not begun. A serial pool always has one thread. Throws
/// UsageError if threads < 1.
std::unique_ptr<ParallelPool> make_pool(PoolKind kind, int threads);

}  // namespace nestwright

#pragma GCC visibility pop
