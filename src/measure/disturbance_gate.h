// Decides which readings of the clock count. The sentinels (an FMA loop beside each sample, a walk through memory and
// the steal count once a pass) and what the kernel accounts to the process are held against this run's norm; they gate
// and divide nothing: see docs/measuring.md. Pure. Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace nestwright {

/// One reading of the clock around several calls in a row, and what was seen meanwhile.
struct Reading {
  double ns = 0;        ///< of all calls together
  double fma_ns = 0;    ///< FMA sentinel, the slower of the one before and the one after; 0: none, as on devices
  double cpu_ns = 0;    ///< CPU time of the process during the calls; 0: not known, as on devices
  double queue_ns = 0;  ///< that threads of the process waited for a processor
  std::int64_t involuntary_switches = 0;
};

/// What is taken once a pass of samples.
struct Surroundings {
  double walk_ns = 0;   ///< memory sentinel; 0: none
  double steal_ns = 0;  ///< time that the hypervisor gave to others since the last one
};

struct GateOptions {
  double fma_tolerance = 0.10;  ///< above the norm
  double walk_tolerance =
      0.40;                   ///< above the norm; a walk through shared caches scatters more than a loop in registers
  double lost_share = 0.005;  ///< of a reading, without a processor
  double lost_ns = 50e3;      ///< or this much, whichever is more: the grain of the accounts
  double switch_ns = 10e3;    ///< enough where threads were also switched involuntarily
};

class DisturbanceGate {
 public:
  explicit DisturbanceGate(const GateOptions& options = {}) : options_(options) {}

  /// What disturbed it, one phrase; empty where it counts. Each one also moves the norm.
  std::string judge(const Reading& reading);
  std::string judge(const Surroundings& surroundings);

 private:
  /// What a sentinel takes while nothing disturbs: a low quantile of its last readings, so that it follows a clock that
  /// drifts, and a disturbance that is shorter than most of them does not become the norm.
  class Norm {
   public:
    /// The norm before this one; 0 while too few are known.
    double learn(double ns);

   private:
    std::deque<double> recent_;
  };

  GateOptions options_;
  Norm fma_, walk_;
};

}  // namespace nestwright
