// A simulated machine that times simulated kernels under planted disturbances. The effect on a reading is integrated
// over the disturbances that overlap it, so that sentinels observe what they would observe of real ones.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/race/gated_sampler.h"
#include "support/base/clock.h"

namespace nestwright::bench {

struct PlantedKernel {
  double call_ns = 0;       ///< without disturbance
  double memory_share = 0;  ///< of that time, which slows down with memory traffic
};

/// The factors by which work slows down during a disturbance; 1: not at all.
struct Slowdown {
  double core = 1, memory = 1;
  double sentinel = 1;  ///< of the FMA loop alone, where nothing else is affected
};

struct Disturbances {
  Slowdown slowdown;
  double mean_quiet_ns = 0, mean_length_ns = 0;  ///< of the pauses and of the disturbances, exponential; 0: none
  double drift = 0;                              ///< slowdown of all work reached after drift_ns, then constant
  double drift_ns = 1;
};

class NoisyMachine final : public SampleSource {
 public:
  NoisyMachine(std::vector<PlantedKernel> kernels, const Disturbances& disturbances, std::uint64_t seed);

  Clock& clock() { return clock_; }
  double now_ns() const { return now_ns_; }
  double paused_ns() const { return paused_ns_; }
  /// The faster of two checked calls.
  double check(int kernel);
  /// Makes these kernels the contenders of the next race, its incumbent last.
  void enter(std::vector<int> kernels) { entered_ = std::move(kernels); }

  std::optional<Reading> sample(int racer, std::int64_t calls, bool warm_up) override;
  Surroundings surroundings() override;
  void renew_process() override {}
  void pause(double ns, const std::string& why) override;

 private:
  /// The composition of a piece of work.
  struct Work {
    double ns = 0, memory_share = 0;
    bool is_sentinel = false;
  };
  class MachineClock final : public Clock {
   public:
    explicit MachineClock(const double& now_ns) : now_ns_(now_ns) {}
    std::int64_t now_ns() override { return static_cast<std::int64_t>(now_ns_); }

   private:
    const double& now_ns_;
  };

  /// Does the work and returns its duration.
  double run(const Work& work);
  double stretch(const Work& work) const;
  double fma_sentinel();
  /// Starts and ends disturbances until change_ns_ is in the future.
  void catch_up();
  double exponential(double mean) { return std::exponential_distribution<double>(1 / mean)(random_); }
  /// The noise factor of one reading: usually some tenths of a percent, sometimes more.
  double scatter();

  std::vector<PlantedKernel> kernels_;
  std::vector<int> entered_;  ///< empty: all kernels
  Disturbances disturbances_;
  std::mt19937_64 random_;
  double now_ns_ = 0, paused_ns_ = 0;
  double change_ns_ = 0;  ///< end of the current disturbance, or start of the next one
  bool is_disturbed_ = true;
  MachineClock clock_{now_ns_};
};

}  // namespace nestwright::bench
