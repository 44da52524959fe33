// The planted fastest kernel wins under every kind of disturbance; bench/trust runs a hundred sessions for each.
#include "bench/figures/machine/planted_noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestwright::bench {
namespace {

class PlantedNoiseSession : public ::testing::TestWithParam<PlantedNoise> {};

TEST_P(PlantedNoiseSession, IsWonByThePlantedFastest) {
  std::vector<PlantedRun> runs;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) runs.push_back(run_planted_session(GetParam(), seed));
  for (const PlantedRun& run : runs) EXPECT_EQ(run.rank, 1) << summary_of(GetParam(), {&run, 1});
  RecordProperty("summary", summary_of(GetParam(), runs));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedNoiseSession,
                         ::testing::Values(PlantedNoise::kNone, PlantedNoise::kSentinelOnly, PlantedNoise::kMemoryOnly,
                                           PlantedNoise::kSentinelAndMemory, PlantedNoise::kDrift,
                                           PlantedNoise::kBursts),
                         [](const auto& noise) {
                           std::string name;
                           for (const char c : std::string(noise_name(noise.param))) {
                             if (std::isalnum(static_cast<unsigned char>(c))) name += c;
                           }
                           return name;
                         });

TEST(PlantedNoise, IsNoticedWhereASentinelSeesIt) {
  EXPECT_EQ(run_planted_session(PlantedNoise::kNone, 1).waited_seconds, 0);
  EXPECT_GT(run_planted_session(PlantedNoise::kSentinelOnly, 1).waited_seconds, 0);
}

TEST(PlantedNoise, IsTheSameForTheSameSeed) {
  const PlantedRun one = run_planted_session(PlantedNoise::kBursts, 3);
  const PlantedRun same = run_planted_session(PlantedNoise::kBursts, 3);
  EXPECT_EQ(one.seconds, same.seconds);
  EXPECT_NE(one.seconds, run_planted_session(PlantedNoise::kBursts, 4).seconds);
}

TEST(PlantedNoise, TheSummaryCountsAndSaysWhatFailed) {
  PlantedRun good, bad;
  good.rank = 1;
  good.seconds = 2;
  bad.seed = 7;
  bad.rank = 2;
  bad.loss = 0.021;
  bad.disturbed_trials = 3;
  bad.what_failed = "it was unlucky";
  EXPECT_EQ(
      summary_of(PlantedNoise::kBursts, std::vector<PlantedRun>{good, bad}),
      "bursts of 3x: the planted fastest won 1 of 2; per run 1.5 disturbed trials, 1.00 s of which 0.00 s waited; "
      "0 final races disturbed\n"
      "  seed 7: rank 2, 2.1% lost: it was unlucky\n");
}

}  // namespace
}  // namespace nestwright::bench
