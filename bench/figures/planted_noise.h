// Made-up tuning sessions on a made-up machine: does the planted fastest kernel win, whatever disturbs the machine?
// The session follows search/chunk.cpp and search/session.cpp: candidates are raced in chunks against the incumbent,
// those that were disturbed are measured again, and the best few are raced with the default at the end.
// Thread rule: pure functions. Units stand in the names.
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
  int rank = 0;              ///< of the planted fastest in the final race, from 1; 0: it was not in it
  double loss = 0;           ///< how much slower the winner is by what was planted: 0.03 is 3%
  int disturbed_trials = 0;  ///< that were disturbed when they were first measured
  bool is_race_disturbed = false;
  int incumbents = 0;                      ///< confirmed one after the other
  double seconds = 0, waited_seconds = 0;  ///< by the made-up clock
  std::string what_failed;                 ///< where the planted fastest did not win: what became of it; else empty
};

/// 60 candidates, the fastest of them by 2% or more, the others within 60%.
PlantedRun run_planted_session(PlantedNoise noise, std::uint64_t seed);

/// "100 of 100: ..." and a line for each run in which the planted fastest did not win.
std::string summary_of(PlantedNoise noise, std::span<const PlantedRun> runs);

}  // namespace nestwright::bench
