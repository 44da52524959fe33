// The time during which the host of a virtual machine ran something else on its processors, "steal" in /proc/stat.
// Thread rule: one thread at a time. Unit: nanoseconds; the kernel counts in ticks of 10 ms.
#pragma once

#include <string>
#include <string_view>

#include "support/os/unique_fd.h"

namespace nestwright {

/// Reads the counter. It keeps the file open; one reading takes 8 us.
class StealTime {
 public:
  explicit StealTime(const std::string& path = "/proc/stat");
  /// Returns the steal time of all processors since boot; 0 if the kernel does not report it.
  double now_ns() const;
  /// Returns the steal time since the last call of this function, or since construction.
  double since_last_ns();

 private:
  UniqueFd stat_;
  double seen_ns_ = 0;
};

/// Returns the eighth number of the line "cpu", the total over all processors, in ticks; 0 if there is none.
long long steal_ticks(std::string_view stat);

}  // namespace nestwright
