// How long the host of a virtual machine had its processors run something else: what /proc/stat calls "steal".
// Thread rule: one thread at a time. Unit: nanoseconds; the kernel counts in ticks of 10 ms.
#pragma once

#include <string>
#include <string_view>

#include "support/unique_fd.h"

namespace nestwright {

/// Keeps the file open; a reading takes 8 us.
class StealTime {
 public:
  explicit StealTime(const std::string& path = "/proc/stat");
  /// All processors together, since the machine was started. 0 where it is not told.
  double now_ns() const;
  /// The same, since the last call of this, or since it was made.
  double since_last_ns();

 private:
  UniqueFd stat_;
  double seen_ns_ = 0;
};

/// The eighth number of the line "cpu", the sum of all processors, in ticks; 0 where there is none.
long long steal_ticks(std::string_view stat);

}  // namespace nestwright
