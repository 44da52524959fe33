// Simulated tuning sessions on a simulated machine, which show whether the planted fastest kernel wins under every kind
// of disturbance. The session follows search/session/chunk.cpp and search/session/session.cpp: candidates race in
// chunks against the incumbent, disturbed ones are measured again, and the best few race with the default at the end.
// Thread rule: pure functions. Names state the units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright::bench {

enum class PlantedNoise { kNone, kSentinelOnly, kMemoryOnly, kSentinelAndMemory, kDrift, kBursts };
inline constexpr PlantedNoise kPlantedNoises[] = {PlantedNoise::kSentinelOnly, PlantedNoise::kMemoryOnly,
                                                  PlantedNoise::kSentinelAndMemory, PlantedNoise::kDrift,
                                                  PlantedNoise::kBursts};
const char* noise_name(PlantedNoise noise);  // "only a sentinel hit", ...

struct PlantedRun {
  std::uint64_t seed = 0;
  int rank = 0;              ///< of the planted fastest kernel in the final race, from 1; 0: it did not take part
  double loss = 0;           ///< how much slower the winner is, by the planted times: 0.03 is 3%
  int disturbed_trials = 0;  ///< trials whose first measurement was disturbed
  bool is_race_disturbed = false;
  int incumbents = 0;                      ///< number of confirmed incumbents
  double seconds = 0, waited_seconds = 0;  ///< by the simulated clock
  std::string what_failed;                 ///< where the planted fastest kernel did not win: why; else empty
};

/// Tunes 60 candidates: one is faster than the others by at least 2%, and these are within 60% of it.
PlantedRun run_planted_session(PlantedNoise noise, std::uint64_t seed);

/// "100 of 100: ..." and a line for each run that the planted fastest kernel did not win.
std::string summary_of(PlantedNoise noise, std::span<const PlantedRun> runs);

}  // namespace nestwright::bench
