// What came of a candidate. Outcomes are data: nothing a candidate does is an exception here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/backend.h"

namespace nestwright {

/// DO NOT CHANGE THESE VALUES: they are stored in databases.
enum class Outcome : std::uint8_t {
  kOk = 0,
  kInvalidConfig = 1,  ///< refused by a constraint, a primitive or the lowering; or for what its kernels need
  kCompileError = 2,   ///< the builder failed, crashed or ran out of time or memory
  kLaunchError = 3,    ///< the runner could not load or call it
  kTimeout = 4,
  kCrash = 5,  ///< a signal in the kernel, an access past a guard page among them
  kWrongResult = 6,
};
const char* outcome_name(Outcome outcome);  // "ok", "invalid_config", ...

/// Times are nanoseconds of one call of the kernel.
struct Timing {
  double median_ns = 0;
  double low_ns = 0, high_ns = 0;    ///< 95% interval of the median
  std::vector<double> samples_ns;    ///< as scored: paired ratio to the reference kernel times its reference time
  std::vector<double> raw_ns;        ///< as read from the clock
  std::vector<double> reference_ns;  ///< of the reference kernel in the same passes, as read from the clock
  std::vector<double> fma_ns;        ///< the FMA sentinel beside each sample; empty where none was run
  std::vector<double> walk_ns;       ///< the memory sentinel in the pass of each sample; likewise
  std::vector<int> passes;           ///< of the race in which each sample was taken: samples of one pass are a pair
  std::vector<int> processes;        ///< of the race in which each sample was taken, from 1; 0: it had no own ones
  bool ended_early = false;          ///< stopped because it was far behind: never a best one
  /// What disturbed the machine while it was timed, one phrase; empty: nothing. A disturbed timing is never a best one,
  /// no label at full weight, and is measured again where there is time.
  std::string disturbance;
  bool is_disturbed() const { return !disturbance.empty(); }
};

/// Proof that the result was right.
struct Evidence {
  bool verified = false;
  double largest_error = 0;        ///< absolute
  double largest_error_ratio = 0;  ///< of the error bound of its element; right means <= 1
};

struct Measurement {
  Outcome outcome = Outcome::kOk;
  std::string message;  ///< why it is not ok, one sentence
  Timing timing;
  Evidence evidence;
  double compile_ms = 0, check_ms = 0, measure_ms = 0;
  std::vector<KernelResources> resources;                 ///< of its kernels, where the compiler tells them
  double device_clock_mhz = 0, device_temperature_c = 0;  ///< after its last sample; 0: a CPU, or it is not told
};

}  // namespace nestwright
