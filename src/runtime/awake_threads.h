// Keeps the threads of a pool awake while loops follow each other, as the kernels of a network do: a thread that waits
// for the next loop then spins for up to 10 ms instead of 50 us, and nobody pays the 40 us that waking it takes.
//
//   {
//     const AwakeThreads awake(*pool);
//     for (const CompiledKernel& kernel : kernels) kernel.call(buffers);
//   }  // threads without tasks sleep after another 50 us
//
// Thread rule: one at a time for each pool.
#pragma once

#include "nestwright/parallel_pool.h"

namespace nestwright {

class AwakeThreads {
 public:
  /// The pool must outlive this. Only threads of spinning pools can be kept awake; for others this does nothing.
  explicit AwakeThreads(const ParallelPool& pool);
  ~AwakeThreads();
  AwakeThreads(const AwakeThreads&) = delete;
  AwakeThreads& operator=(const AwakeThreads&) = delete;

 private:
  void* spin_pool_ = nullptr;  ///< null: another pool
};

}  // namespace nestwright
