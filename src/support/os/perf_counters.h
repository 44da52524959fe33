// Counts what the processor does for this thread, and for threads that it starts later, by perf_event_open, without the
// kernel of the operating system.
//
//   PerfCounters counters(processor_events());
//   if (counters.why_not().empty()) { counters.start(); work(); const std::vector<double> counts = counters.stop(); }
//
// Thread rule: one thread at a time; the thread that makes them is the one that is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/os/unique_fd.h"

namespace nestwright {

/// An event, by the numbers of perf_event_open.
struct PerfEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};

/// Cycles, instructions and misses of the last-level cache, in this order.
std::vector<PerfEvent> processor_events();

class PerfCounters {
 public:
  /// Opens a counter for each event; where one cannot be opened, why_not() says why and nothing is counted.
  explicit PerfCounters(const std::vector<PerfEvent>& events);

  /// Why nothing is counted, one clause; empty: it is.
  const std::string& why_not() const { return why_not_; }
  /// Start at 0, and stop. Require why_not() to be empty.
  void start();
  /// The counts since start(), in the order of the events, extrapolated where the processor counted an event only part
  /// of the time. Throws Error where they cannot be read.
  std::vector<double> stop();

 private:
  std::vector<UniqueFd> counters_;
  std::string why_not_;
};

}  // namespace nestwright
