#include "bench/figures/machine/planted_noise.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "bench/figures/machine/noisy_machine.h"
#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "nestwright/error.h"

namespace nestwright::bench {

namespace {

constexpr int kCandidates = 60, kFinalists = 6;
constexpr std::size_t kChunk = 8;
constexpr int kDefault = 0;      // the kernel that a session measures first
constexpr int kMaxAgain = 3;     // repeated measurements of a disturbed trial
constexpr double kAhead = 1.02;  // time of the second fastest, relative to the fastest
constexpr double kMaxBehind = 1.6;

std::vector<PlantedKernel> plant_kernels(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double fastest_ns = 20e3 * std::pow(200, unit(random));  // 20 us to 4 ms
  std::vector<PlantedKernel> kernels;
  for (int i = 0; i < kCandidates; ++i) {
    const double behind = i == 0 ? 1 : kAhead + (kMaxBehind - kAhead) * unit(random);
    kernels.push_back({fastest_ns * behind, unit(random)});
  }
  kernels[1].call_ns = kAhead * fastest_ns;
  std::shuffle(kernels.begin(), kernels.end(), random);
  return kernels;
}

Disturbances disturbances_of(PlantedNoise noise, double quiet_run_ns) {
  switch (noise) {
    case PlantedNoise::kNone:
      return {};
    case PlantedNoise::kSentinelOnly:
      return {.slowdown = {.sentinel = 1.75}, .mean_quiet_ns = 40e6, .mean_length_ns = 10e6};
    case PlantedNoise::kMemoryOnly:
      return {.slowdown = {.memory = 1.8}, .mean_quiet_ns = 300e6, .mean_length_ns = 100e6};
    case PlantedNoise::kSentinelAndMemory:
      return {.slowdown = {.core = 1.75, .memory = 1.8}, .mean_quiet_ns = 300e6, .mean_length_ns = 100e6};
    case PlantedNoise::kDrift:
      return {.drift = 0.2, .drift_ns = quiet_run_ns};
    case PlantedNoise::kBursts:
      return {.slowdown = {.core = 3}, .mean_quiet_ns = 30e6, .mean_length_ns = 3e6};
  }
  throw InternalError("internal error: a planted noise that is none of the known ones");
}

struct Trial {
  std::optional<Timing> timing;  ///< nullopt where there is no sound measurement
  bool is_sound() const { return timing && !timing->ended_early && !timing->is_disturbed() && timing->median_ns > 0; }
};

class PlantedSession {
 public:
  PlantedSession(std::vector<PlantedKernel> kernels, const Disturbances& disturbances, std::uint64_t seed)
      : kernels_(std::move(kernels)),
        machine_(kernels_, disturbances, seed),
        patience_(machine_.clock(), 0.1),
        trials_(kernels_.size()) {
    for (std::size_t i = 1; i < kernels_.size(); ++i) {
      if (kernels_[i].call_ns < kernels_[fastest_].call_ns) fastest_ = i;
    }
    run_.seed = seed;
  }

  PlantedRun run() {
    std::vector<int> all;
    for (int i = 0; i < kCandidates; ++i) all.push_back(i);
    race_in_chunks(all);
    run_.disturbed_trials = static_cast<int>(disturbed().size());
    for (int again = 0; again < kMaxAgain; ++again) race_in_chunks(disturbed());
    race_finalists();
    run_.seconds = machine_.now_ns() * 1e-9;
    run_.waited_seconds = machine_.paused_ns() * 1e-9;
    return run_;
  }

 private:
  std::vector<int> disturbed() const {
    std::vector<int> list;
    for (int i = 0; i < kCandidates; ++i) {
      if (trials_[static_cast<std::size_t>(i)].timing->is_disturbed()) list.push_back(i);
    }
    return list;
  }

  RaceConditions conditions() { return {TimingOptions(), ++races_, {}}; }

  void race_in_chunks(const std::vector<int>& candidates) {
    for (std::size_t first = 0; first < candidates.size(); first += kChunk) {
      const std::size_t last = std::min(first + kChunk, candidates.size());
      std::vector<int> kernels(candidates.begin() + static_cast<std::ptrdiff_t>(first),
                               candidates.begin() + static_cast<std::ptrdiff_t>(last));
      std::vector<Contender> contenders;
      for (const int kernel : kernels) contenders.push_back({.call_ns = machine_.check(kernel)});
      std::vector<int> entered = kernels;
      entered.push_back(incumbent_);
      machine_.enter(entered);
      adopt(kernels, nestwright::race(sampler_, conditions(), contenders, contender_of_incumbent()));
    }
  }

  std::optional<Contender> contender_of_incumbent() const {
    return incumbent_ns_ > 0 ? std::optional(Contender{.call_ns = incumbent_ns_}) : std::nullopt;
  }

  void adopt(const std::vector<int>& kernels, const RaceResult& raced) {
    for (std::size_t i = 0; i < kernels.size(); ++i) trial(kernels[i]).timing = raced.timings[i];
    for (const std::optional<std::size_t>& better : {raced.reference, raced.successor}) {
      if (!better || !trial(kernels[*better]).is_sound()) continue;
      incumbent_ = kernels[*better];
      incumbent_ns_ = raced.timings[*better].median_ns;
      ++run_.incumbents;
    }
  }

  Trial& trial(int kernel) { return trials_[static_cast<std::size_t>(kernel)]; }
  const Timing& timing_of_fastest() const { return *trials_[fastest_].timing; }

  void race_finalists() {
    std::vector<int> finalists = sound_trials();
    if (finalists.size() > kFinalists) finalists.resize(kFinalists);
    if (std::find(finalists.begin(), finalists.end(), kDefault) == finalists.end()) finalists.push_back(kDefault);
    machine_.enter(finalists);
    const std::vector<Contender> contenders(finalists.size());
    const std::vector<Timing> timings = nestwright::race_finalists(sampler_, {.seed = ++races_}, contenders);

    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < timings.size(); ++i) {
      order.push_back(i);
      run_.is_race_disturbed = run_.is_race_disturbed || timings[i].is_disturbed();
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return timings[a].median_ns < timings[b].median_ns; });
    run_.loss = kernels_[static_cast<std::size_t>(finalists[order[0]])].call_ns / kernels_[fastest_].call_ns - 1;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      if (finalists[order[rank]] == static_cast<int>(fastest_)) run_.rank = static_cast<int>(rank) + 1;
    }
    if (run_.rank == 0) run_.what_failed = why_it_was_missing();
    if (run_.rank > 1) {
      const auto own = std::find(finalists.begin(), finalists.end(), static_cast<int>(fastest_)) - finalists.begin();
      const MedianInterval ratio = ratio_between(timings[static_cast<std::size_t>(own)], timings[order[0]]);
      run_.what_failed = fmt::format("in the final race it took {:.4f} [{:.4f} .. {:.4f}] of the winner's time",
                                     ratio.median, ratio.low, ratio.high);
    }
  }

  /// Indices of the sound trials by score.
  std::vector<int> sound_trials() const {
    std::vector<int> list;
    for (int i = 0; i < kCandidates; ++i) {
      if (trials_[static_cast<std::size_t>(i)].is_sound()) list.push_back(i);
    }
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
      return trials_[static_cast<std::size_t>(a)].timing->median_ns <
             trials_[static_cast<std::size_t>(b)].timing->median_ns;
    });
    return list;
  }

  std::string why_it_was_missing() const {
    const Timing& timing = timing_of_fastest();
    if (timing.ended_early) return fmt::format("it was given up by {} samples", timing.samples_ns.size());
    if (timing.is_disturbed()) return "it stayed disturbed: " + timing.disturbance;
    const std::vector<int> ranked = sound_trials();
    const auto place = std::find(ranked.begin(), ranked.end(), static_cast<int>(fastest_)) - ranked.begin();
    return fmt::format("{} samples ranked it {} of {} before the final race", timing.samples_ns.size(), place + 1,
                       ranked.size());
  }

  std::vector<PlantedKernel> kernels_;
  NoisyMachine machine_;
  DisturbanceGate gate_;
  WaitBudget patience_;
  GatedSampler sampler_{machine_, gate_, patience_, 1};
  std::vector<Trial> trials_;
  std::size_t fastest_ = 0;
  int incumbent_ = kDefault;
  double incumbent_ns_ = 0;  ///< its reference time; 0: there is none yet
  std::uint64_t races_ = 0;
  PlantedRun run_;
};

}  // namespace

const char* noise_name(PlantedNoise noise) {
  switch (noise) {
    case PlantedNoise::kNone:
      return "none";
    case PlantedNoise::kSentinelOnly:
      return "only a sentinel hit";
    case PlantedNoise::kMemoryOnly:
      return "only memory";
    case PlantedNoise::kSentinelAndMemory:
      return "both";
    case PlantedNoise::kDrift:
      return "drift of 20%";
    case PlantedNoise::kBursts:
      return "bursts of 3x";
  }
  throw InternalError("internal error: a planted noise that is none of the known ones");
}

PlantedRun run_planted_session(PlantedNoise noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<PlantedKernel> kernels = plant_kernels(random);
  double quiet_run_ns = 0;
  if (noise == PlantedNoise::kDrift) {
    quiet_run_ns = 1e9 * PlantedSession(kernels, disturbances_of(PlantedNoise::kNone, 0), seed).run().seconds;
  }
  return PlantedSession(kernels, disturbances_of(noise, quiet_run_ns), seed).run();
}

std::string summary_of(PlantedNoise noise, std::span<const PlantedRun> runs) {
  const auto won = std::count_if(runs.begin(), runs.end(), [](const PlantedRun& run) { return run.rank == 1; });
  double disturbed = 0, seconds = 0, waited = 0;
  int disturbed_races = 0;
  for (const PlantedRun& run : runs) {
    disturbed += run.disturbed_trials;
    disturbed_races += run.is_race_disturbed;
    seconds += run.seconds;
    waited += run.waited_seconds;
  }
  const double n = std::max<double>(1, static_cast<double>(runs.size()));
  std::string text = fmt::format(
      "{}: the planted fastest won {} of {}; per run {:.1f} disturbed trials, {:.2f} s of which {:.2f} s waited; {} "
      "final races disturbed\n",
      noise_name(noise), won, runs.size(), disturbed / n, seconds / n, waited / n, disturbed_races);
  for (const PlantedRun& run : runs) {
    if (run.rank == 1) continue;
    text += fmt::format("  seed {}: rank {}, {:.1f}% lost: {}\n", run.seed, run.rank, 100 * run.loss, run.what_failed);
  }
  return text;
}

}  // namespace nestwright::bench
