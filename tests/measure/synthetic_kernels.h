// A source of samples with kernels of known times and a simulated clock. Each test defines the disturbances and what
// the sentinels see of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "tests/support/fake_clock.h"

namespace nestwright {

using CallTimes = std::map<int, double>;  ///< per call, by candidate

/// A kernel of a CallTimes in a race.
struct EnteredKernel {
  int kernel = 0;
  double call_ns = 0, least_ns = 0, part_ratio = 0;  ///< as in Contender
};

class SyntheticKernels : public SampleSource {
 public:
  static constexpr double kFma_ns = 8e3, kWalk_ns = 1e6;

  FakeClock clock;
  CallTimes call_ns;
  std::vector<int> entered;                                       ///< what a race calls i is entered[i]; empty: i
  std::map<int, int> fails_at;                                    ///< by candidate: the sample that fails, from 1
  std::function<double(int)> slowdown = [](int) { return 1.0; };  ///< of a candidate's next reading
  std::function<void(int, Reading&)> disturb;                     ///< changes the sentinels of a reading
  std::function<Surroundings()> around = [] { return Surroundings{kWalk_ns, 0}; };

  std::vector<int> order;                          ///< candidates in the order of sampling
  std::map<int, std::vector<std::int64_t>> calls;  ///< by candidate: calls of each sample
  std::map<int, std::vector<bool>> warm_ups;       ///< likewise
  std::vector<std::string> reasons_to_pause;
  double paused_ns = 0, sampled_ns = 0;
  int processes = 0;                     ///< number of processes started
  std::function<void()> on_new_process;  ///< may change how the kernels behave

  std::optional<Reading> sample(int racer, std::int64_t n, bool warm_up) override {
    const int candidate = entered.empty() ? racer : entered.at(static_cast<std::size_t>(racer));
    order.push_back(candidate);
    calls[candidate].push_back(n);
    warm_ups[candidate].push_back(warm_up);
    const auto fails = fails_at.find(candidate);
    if (fails != fails_at.end() && static_cast<int>(calls[candidate].size()) >= fails->second) return std::nullopt;
    Reading reading;
    reading.ns = reading.cpu_ns = call_ns.at(candidate) * static_cast<double>(n) * slowdown(candidate);
    reading.fma_ns = kFma_ns;
    if (disturb) disturb(candidate, reading);
    sampled_ns += reading.ns;
    clock.advance(static_cast<std::int64_t>(reading.ns));
    return reading;
  }

  Surroundings surroundings() override { return around(); }

  void renew_process() override {
    ++processes;
    if (on_new_process) on_new_process();
  }

  void pause(double ns, const std::string& why) override {
    reasons_to_pause.push_back(why);
    paused_ns += ns;
    clock.advance(static_cast<std::int64_t>(ns));
  }

  /// Adds independent noise to each reading, with this standard deviation relative to its time.
  void scatter(double deviation, std::uint64_t seed = 1) {
    slowdown = [random = std::mt19937_64(seed), noise = std::normal_distribution<double>(1, deviation)](int) mutable {
      return noise(random);
    };
  }

  std::size_t samples_of(int candidate) { return calls[candidate].size(); }
};

/// A machine with such kernels, and everything that a race needs.
struct SyntheticMachine {
  explicit SyntheticMachine(CallTimes call_ns, double wait_share = 0.1, int kernel_threads = 1)
      : threads(kernel_threads), wait_budget(kernels.clock, wait_share) {
    kernels.call_ns = std::move(call_ns);
  }

  SyntheticKernels kernels;
  int threads = 1;
  DisturbanceGate gate;
  WaitBudget wait_budget;
  GatedSampler sampler{kernels, gate, wait_budget, threads};
  RaceConditions conditions;
  FinalistConditions finalist_conditions;

  /// Returns the first `n` kernels, 0 to n - 1, with their times.
  std::vector<EnteredKernel> first_kernels(int n) const {
    std::vector<EnteredKernel> all;
    for (int i = 0; i < n; ++i) all.push_back({i, kernels.call_ns.at(i)});
    return all;
  }
  RaceResult race(int n, const std::optional<EnteredKernel>& incumbent = {}) {
    return race(first_kernels(n), incumbent);
  }
  RaceResult race(const std::vector<EnteredKernel>& all, const std::optional<EnteredKernel>& incumbent) {
    const std::vector<Contender> contenders = enter(all);
    std::optional<Contender> opponent;
    if (incumbent) {
      kernels.entered.push_back(incumbent->kernel);
      opponent = contender_of(*incumbent);
    }
    return nestwright::race(sampler, conditions, contenders, opponent);
  }
  std::vector<Timing> race_finalists(int n) {
    return nestwright::race_finalists(sampler, finalist_conditions, enter(first_kernels(n)));
  }

 private:
  static Contender contender_of(const EnteredKernel& kernel) {
    return {.call_ns = kernel.call_ns, .least_ns = kernel.least_ns, .part_ratio = kernel.part_ratio};
  }
  std::vector<Contender> enter(const std::vector<EnteredKernel>& all) {
    std::vector<Contender> contenders;
    kernels.entered.clear();
    for (const EnteredKernel& each : all) {
      kernels.entered.push_back(each.kernel);
      contenders.push_back(contender_of(each));
    }
    return contenders;
  }
};

}  // namespace nestwright
