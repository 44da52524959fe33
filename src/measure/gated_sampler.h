// Samples that count: a disturbed reading is taken again, and where the machine stays disturbed the run waits, for a
// bounded time. The clock and the kernels are handed in. Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "measure/disturbance_gate.h"
#include "support/clock.h"

namespace nestwright {

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Calls a candidate that many times in a row, after an untimed call where `warm_up`. nullopt where it failed: it is
  /// then not asked for again.
  virtual std::optional<Reading> sample(int candidate, std::int64_t calls, bool warm_up) = 0;
  virtual Surroundings surroundings() = 0;
  /// Puts a fresh process in the place of the one that calls the candidates.
  virtual void renew_process() = 0;
  /// Sleeps, as the machine is disturbed; `why` is for people.
  virtual void pause(double ns, const std::string& why) = 0;
};

/// How long a run may wait for a disturbed machine: a share of the time that it has run, and a second to begin with.
class Patience {
 public:
  Patience(Clock& clock, double share) : clock_(clock), share_(share), start_ns_(clock.now_ns()) {}
  /// Whether so long a wait is still allowed; it then counts as waited.
  bool spend(double ns);
  /// Allows no wait once `is_over` gives true. May be empty.
  void set_end(std::function<bool()> is_over) { is_over_ = std::move(is_over); }

 private:
  static constexpr double kFirst_ns = 1e9;

  Clock& clock_;
  double share_;
  std::int64_t start_ns_;
  double waited_ns_ = 0;
  std::function<bool()> is_over_;
};

struct Sample {
  double ns = 0;  ///< of all calls together
  double fma_ns = 0;
  std::string disturbance;  ///< empty: it counts
};

/// What is seen once a pass.
struct Look {
  Surroundings surroundings;
  std::string disturbance;  ///< since the last look; empty: nothing
};

class GatedSampler {
 public:
  /// All three outlive it.
  GatedSampler(SampleSource& source, DisturbanceGate& gate, Patience& patience)
      : source_(source), gate_(gate), patience_(patience) {}

  /// A sample that counts, or the last of several disturbed ones; where most readings are disturbed, of fewer. nullopt
  /// where the candidate failed.
  std::optional<Sample> take(int candidate, std::int64_t calls, bool warm_up);
  Look look_around();
  /// Later samples are taken in a fresh process.
  void renew_process() { source_.renew_process(); }
  /// Waits a moment. False where no wait is left.
  bool wait(const std::string& why);

 private:
  SampleSource& source_;
  DisturbanceGate& gate_;
  Patience& patience_;
  double pause_ns_ = kShortestPause_ns;
  double disturbed_share_ = 0;  ///< of the last readings

  static constexpr double kShortestPause_ns = 5e6, kLongestPause_ns = 160e6;
};

}  // namespace nestwright
