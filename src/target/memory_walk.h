// A sentinel for what the FMA loop cannot see: whether loads from memory take longer than usual, because a neighbour
// takes bandwidth or drives the shared cache out to memory. It follows a fixed chain of 512 loads, each of which waits
// for the one before, through lines that were flushed from all caches: so its time does not depend on what ran before,
// nor on how large the caches are, and it is the same walk every time.
//
// Measured on two cores of a shared EPYC 7003 host (512 KiB L2, 32 MiB L3 shared with other machines), otherwise idle
// against a memcpy of 64 MiB blocks on the other core, in turns of 0.1 s, 1081 walks each: 70 us (90% within 63 .. 80)
// against 81 us (71 .. 94). A limit that a quiet machine crosses once in 20 walks is crossed by 60% of the disturbed
// ones, so one walk is a hint and the median of several passes a verdict. Four and eight chains at once, a stream, and
// a random walk through 64 MiB told the two apart less well. What it does not see: a neighbour whose data fit the
// shared cache (no walk did, walks within L3 least of all: there other machines of the host move it by a factor of two)
// and what slows computing alone.
//
// It takes 70 us with the flushing, touches 2 MiB of address space and leaves at most 32 KiB of its own in L1 and
// L2: callers run an untimed call of the kernel before they time it again. Thread rule: one thread at a time.
// Unit: nanoseconds.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "support/clock.h"

namespace nestwright {

class MemoryWalk {
 public:
  /// Takes some 0.1 ms, for its memory is touched.
  explicit MemoryWalk(Clock& clock = steady_clock());

  /// Flushes, walks once and gives the time of the walk: eight times the median of its eight parts, so that an
  /// interruption of one or two of them does not count.
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
