// Loads an exported library into this process and calls it as a user's program does, on tensors of its own, with caches
// in a given state.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "bench/figures/tunings/exported_timing.h"
#include "measure/run/buffer_copies.h"
#include "measure/run/stream_state.h"
#include "nestwright/array.h"
#include "nestwright/parallel_pool.h"

namespace nestwright::bench {

class ExportedKernel {
 public:
  /// The workload determines the tensors. Throws Error where the library or the function cannot be loaded, or takes
  /// more tensors than are supported.
  explicit ExportedKernel(const ExportedLibrary& exported);

  /// Throws Error where the function returns an error code.
  void call() const;
  /// Whether establish_stream() is to precede each call.
  bool streams() const { return stream_ != nullptr; }
  void establish_stream() const { stream_->establish(*pool_->abi()); }

 private:
  void rotate();
  void stream(const ExportedLibrary& exported, void* opened);

  void* function_ = nullptr;
  std::vector<Array> tensors_;
  std::vector<BufferCopies> copies_;
  std::vector<std::vector<void*>> pointers_;  ///< of each copy
  mutable std::size_t next_ = 0;
  std::unique_ptr<ParallelPool> pool_;  ///< of the kernel and of what writes its inputs
  std::unique_ptr<StreamState> stream_;
};

}  // namespace nestwright::bench
