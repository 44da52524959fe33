// Detects what the FMA loop cannot see: loads from memory that take longer than usual, because a neighbour uses
// bandwidth or evicts the shared cache. It times a fixed chain of 512 dependent loads through lines that were flushed
// from all caches, so its time does not depend on what ran before or on the size of the caches, and every walk is the
// same.
//
// Measured on two cores of a shared EPYC 7003 host (512 KiB L2, 32 MiB L3 shared with other machines), otherwise idle
// versus a memcpy of 64 MiB blocks on the other core, alternating every 0.1 s, 1081 walks each: 70 us (90% within 63 ..
// 80) versus 81 us (71 .. 94). A threshold that a quiet machine exceeds in 5% of the walks is exceeded by 60% of the
// disturbed ones, so one walk is a hint and the median of several passes a verdict. Four and eight chains at once, a
// stream, and a random walk through 64 MiB separated the two cases less well. It does not detect a neighbour whose data
// fits the shared cache (no walk did; walks within L3 are worst, because other machines of the host change their time
// by a factor of two), nor anything that slows computation alone.
//
// One walk takes 70 us including the flush, touches 2 MiB of address space and leaves at most 32 KiB of its own data in
// L1 and L2: callers make an untimed call of the kernel before they time it again.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "support/base/clock.h"

namespace nestwright {

class MemoryWalk {
 public:
  /// Allocates and touches the memory, which takes about 0.1 ms.
  explicit MemoryWalk(Clock& clock = steady_clock());

  /// Flushes the lines, walks once and returns the time of the walk: eight times the median of its eight parts, so that
  /// an interruption of one or two parts does not count.
  double run();

 private:
  struct Line {
    Line* next = nullptr;
  };
  struct FreeAligned {
    void operator()(std::byte* memory) const;
  };

  Clock& clock_;
  std::unique_ptr<std::byte, FreeAligned> memory_;
  std::vector<Line*> lines_;  ///< in the order of the walk
};

}  // namespace nestwright
