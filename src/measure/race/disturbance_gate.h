// Decides which readings of the clock count. The sentinels (an FMA loop beside each reading; a memory walk and the
// steal count once per pass) and the kernel's accounting of this process are compared with their norm in this run. They
// only accept or reject readings; no reading is ever divided by them (docs/measuring.md says why).
// Thread rule: one thread at a time; no side effects outside the object. Unit: nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace nestwright {

/// A reading of the clock around consecutive calls, and what the sentinels showed meanwhile.
struct Reading {
  double ns = 0;        ///< of all calls together
  double span_ns = 0;   ///< from the first call to the last, with untimed work between them; 0: there was none
  double fma_ns = 0;    ///< FMA sentinel, the slower of those before and after; 0: none (devices)
  double cpu_ns = 0;    ///< CPU time of the process during the span; 0: not known (devices)
  double queue_ns = 0;  ///< time that threads of the process waited for a processor
  std::int64_t involuntary_switches = 0;
};

/// The length from which on a reading is long.
inline constexpr double kLongReading_ns = 12e6;

/// The sentinels that run once per pass.
struct Surroundings {
  double walk_ns = 0;   ///< memory sentinel; 0: none
  double steal_ns = 0;  ///< time that the hypervisor took since the last pass
  /// The readings since the last pass, all together: time that was stolen is relative to it; 0: any steal disturbs.
  double readings_ns = 0;
};

/// The tolerances of the gate. What a reading may lose is relative to its length, because a loss of 20 us is a
/// percent of 2 ms and nothing of 80 ms; the least that counts is what the accounting resolves.
///
/// A long reading averages over disturbances that last for milliseconds, so that loops of microseconds before and after
/// it, or after a long pass, say nothing about it; and on a shared host hardly any reading of a tenth of a second loses
/// less than a percent.
struct GateOptions {
  double fma_tolerance = 0.10;  ///< above the norm
  /// Above the norm; a walk through shared caches scatters more than a loop in registers.
  double walk_tolerance = 0.40;
  double lost_share = 0.01;       ///< the share of a reading, or of a pass, that may pass without a processor
  double long_lost_share = 0.03;  ///< the same of a long one
  double lost_ns = 50e3;          ///< or this time, whichever is more: the resolution of the accounting
  double switch_ns = 10e3;        ///< the same if threads were also switched involuntarily
  double long_reading_ns = kLongReading_ns;
  double long_pass_ns = 200e6;  ///< readings of a pass, together, from which on it is long
};

class DisturbanceGate {
 public:
  explicit DisturbanceGate(const GateOptions& options = {}) : options_(options) {}

  /// Returns what disturbed the reading or the pass, as a phrase; empty if it counts. Each call also updates the norm.
  std::string classify(const Reading& reading);
  std::string classify(const Surroundings& surroundings);

 private:
  /// The time of a sentinel on an undisturbed machine: a low quantile of its recent readings. It follows a drifting
  /// clock, and a disturbance does not become the norm until it lasts for most of the window.
  class Norm {
   public:
    /// Adds a reading and returns the norm before it; 0 while there are too few readings.
    double learn(double ns);

   private:
    std::deque<double> recent_;
  };

  GateOptions options_;
  Norm fma_, walk_;
};

}  // namespace nestwright
