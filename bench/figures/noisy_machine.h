// A made-up machine that times made-up kernels beside planted disturbances. What happens to a reading is integrated
// over the disturbances that it meets, so that sentinels see of them what they would see of real ones. Thread rule: one
// thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/gated_sampler.h"
#include "support/clock.h"

namespace nestwright::bench {

struct PlantedKernel {
  double call_ns = 0;       ///< while nothing disturbs
  double memory_share = 0;  ///< of that time, which memory traffic of others stretches
};

/// By how much things slow down while a disturbance lasts; 1: not at all.
struct Slowdown {
  double core = 1, memory = 1;
  double sentinel = 1;  ///< of the FMA loop alone, where nothing else is hit
};

struct Disturbances {
  Slowdown slowdown;
  double mean_quiet_ns = 0, mean_length_ns = 0;  ///< between two of them, of one; exponential. 0: there are none
  double drift = 0;                              ///< slowdown of everything over drift_ns, then it stays
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

  std::optional<Reading> sample(int kernel, std::int64_t calls, bool warm_up) override;
  Surroundings surroundings() override;
  void renew_process() override {}
  void pause(double ns, const std::string& why) override;

 private:
  /// What a piece of work consists of.
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

  /// Does it and returns how long it took.
  double run(const Work& work);
  double stretch(const Work& work) const;
  double fma_sentinel();
  /// Ends the present disturbance, or begins one, until change_ns_ is in the future.
  void catch_up();
  double exponential(double mean) { return std::exponential_distribution<double>(1 / mean)(random_); }
  /// Of one reading: most scatter by some tenths of a percent, some were hit by something small.
  double scatter();

  std::vector<PlantedKernel> kernels_;
  Disturbances disturbances_;
  std::mt19937_64 random_;
  double now_ns_ = 0, paused_ns_ = 0;
  double change_ns_ = 0;  ///< when the disturbance ends, or the next one begins
  bool is_disturbed_ = true;
  MachineClock clock_{now_ns_};
};

}  // namespace nestwright::bench
