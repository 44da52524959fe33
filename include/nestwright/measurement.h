// The result of measuring a candidate. Outcomes are data: a failing candidate never throws.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/target.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// How the measurement of a candidate ended. Do not change these values: databases store them.
enum class Outcome : std::uint8_t {
  kOk = 0,
  kInvalidConfig = 1,  ///< refused by a constraint, a primitive or the lowering, or for the resources of its kernels
  kCompileError = 2,   ///< the builder failed, crashed, or exceeded its time or memory
  kLaunchError = 3,    ///< the runner could not load or call it
  kTimeout = 4,
  kCrash = 5,  ///< a signal in the kernel, e.g. an access to a guard page
  kWrongResult = 6,
};
const char* outcome_name(Outcome outcome);  // "ok", "invalid_config", ...

/// Times are in nanoseconds per call of the kernel.
struct Timing {
  double median_ns = 0;
  /// 95% interval of the median; of a race of finalists, the range in which 90% of undisturbed processes lie; where the
  /// time of a quiet machine was estimated, the range of that.
  double low_ns = 0, high_ns = 0;
  std::vector<double> samples_ns;    ///< scores: the paired ratio to the reference kernel times its reference time
  std::vector<double> raw_ns;        ///< readings of the clock; of disturbed samples on one thread, less its waits
  std::vector<double> reference_ns;  ///< readings of the reference kernel in the same passes
  std::vector<double> fma_ns;        ///< the FMA sentinel beside each sample; empty if there was none
  std::vector<double> walk_ns;       ///< the memory sentinel in the pass of each sample; likewise
  std::vector<int> passes;           ///< the pass of each sample; samples of the same pass are a pair
  std::vector<int> processes;        ///< the process of each sample, from 1; 0: the race had no processes of its own
  bool ended_early = false;          ///< stopped because it was far behind; never a best one
  /// Where only a part of the kernel was timed: the factor by which readings were multiplied to
  /// estimate those of the whole. 0: the whole was timed.
  double part_ratio = 0;
  /// What disturbed the machine during the measurement, as a phrase; empty if nothing did. A disturbed timing is never
  /// a best one, has less weight as a label, and is repeated if there is time.
  std::string disturbance;
  bool is_short = false;  ///< it is marked as disturbed only because its race had no time for three processes
  bool is_disturbed() const { return !disturbance.empty(); }
};

/// The evidence that the result was right.
struct Evidence {
  bool verified = false;
  double largest_error = 0;        ///< absolute
  double largest_error_ratio = 0;  ///< relative to the error bound of the element; right means <= 1
};

/// Everything that is known about a candidate after it was measured.
struct Measurement {
  Outcome outcome = Outcome::kOk;
  std::string message;  ///< why it is not ok, one sentence
  Timing timing;
  Evidence evidence;
  double compile_ms = 0, check_ms = 0, measure_ms = 0;
  std::vector<KernelResources> resources;                 ///< of its kernels, if the compiler reports them
  double device_clock_mhz = 0, device_temperature_c = 0;  ///< after its last sample; 0: a CPU, or not reported
};

}  // namespace nestwright

#pragma GCC visibility pop
