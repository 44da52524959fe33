#include "search/propose/measured_trials.h"

#include <gtest/gtest.h>

#include "points.h"

namespace nestwright {
namespace {

SessionTrial ok(std::int64_t x, double ns, TrialQuality quality = TrialQuality::kSound) {
  return {0, numbered_point(x), ns, quality};
}
SessionTrial failed(std::int64_t x) { return {0, numbered_point(x), 0, TrialQuality::kFailed}; }

using Points = std::vector<Point>;

TEST(MeasuredTrials, TheFastestComeFirstAndFailuresNotAtAll) {
  MeasuredTrials trials;
  trials.record(std::vector<SessionTrial>{ok(1, 30), ok(2, 10), failed(3), ok(4, 20)});
  EXPECT_EQ(trials.fastest(2), (Points{numbered_point(2), numbered_point(4)}));
  EXPECT_EQ(trials.fastest(9), (Points{numbered_point(2), numbered_point(4), numbered_point(1)}));
  EXPECT_EQ(trials.best()->point, numbered_point(2));
  EXPECT_EQ(trials.all().size(), 4u);
  EXPECT_TRUE(trials.contains(numbered_point(3)));
  EXPECT_FALSE(trials.contains(numbered_point(5)));
}

TEST(MeasuredTrials, ANewLabelReplacesTheOldOne) {
  MeasuredTrials trials;
  trials.record(std::vector<SessionTrial>{ok(1, 30), ok(2, 10), ok(3, 20)});
  trials.record(std::vector<SessionTrial>{ok(2, 40)});
  EXPECT_EQ(trials.fastest(3), (Points{numbered_point(3), numbered_point(1), numbered_point(2)}));
  trials.record(std::vector<SessionTrial>{failed(3)});
  EXPECT_EQ(trials.fastest(3), (Points{numbered_point(1), numbered_point(2)}));
  EXPECT_EQ(trials.all().size(), 3u) << "a point is there once";
}

TEST(MeasuredTrials, ParentsThatTurnOutSlowGiveWayToTheNextOnes) {
  MeasuredTrials trials;
  for (std::int64_t x = 0; x < 100; ++x)
    trials.record(std::vector<SessionTrial>{ok(x, 100.0 + static_cast<double>(x))});
  for (std::int64_t x = 0; x < 10; ++x) trials.record(std::vector<SessionTrial>{ok(x, 1000)});
  EXPECT_EQ(trials.fastest(2), (Points{numbered_point(10), numbered_point(11)}));
}

TEST(MeasuredTrials, DisturbedOnesComeAfterSoundOnesHoweverFast) {
  MeasuredTrials trials;
  trials.record(std::vector<SessionTrial>{ok(1, 5, TrialQuality::kDisturbed), ok(2, 10), ok(3, 20),
                                          ok(4, 4, TrialQuality::kDisturbed)});
  EXPECT_EQ(trials.fastest(4), (Points{numbered_point(2), numbered_point(3), numbered_point(4), numbered_point(1)}));
  EXPECT_EQ(trials.best()->point, numbered_point(2));
}

TEST(MeasuredTrials, AmongDisturbedOnesAloneThereIsNoBest) {
  MeasuredTrials trials;
  EXPECT_EQ(trials.best(), nullptr);
  trials.record(std::vector<SessionTrial>{ok(1, 5, TrialQuality::kDisturbed)});
  EXPECT_EQ(trials.best(), nullptr);
  EXPECT_EQ(trials.fastest(1), Points{numbered_point(1)});
}

TEST(MeasuredTrials, ADisturbedReadingReplacesNoSoundOne) {
  MeasuredTrials trials;
  trials.record(std::vector<SessionTrial>{ok(1, 10), ok(2, 50, TrialQuality::kDisturbed)});
  trials.record(std::vector<SessionTrial>{ok(1, 99, TrialQuality::kDisturbed), ok(2, 8)});
  EXPECT_EQ(trials.fastest(2), (Points{numbered_point(2), numbered_point(1)}));
  EXPECT_EQ(trials.all()[0].ns, 10);
  EXPECT_EQ(trials.best()->ns, 8);
}

TEST(MeasuredTrials, TheIncumbentStaysWhateverComesIn) {
  MeasuredTrials trials;
  trials.record(std::vector<SessionTrial>{ok(7, 10)});
  std::mt19937_64 random(1);
  for (std::int64_t x = 100; x < 2000; ++x) {
    const bool has_failed = random() % 3 == 0;
    const bool is_disturbed = random() % 2 == 0;
    const double ns = is_disturbed ? 1 + static_cast<double>(random() % 5) : 11 + static_cast<double>(random() % 100);
    const TrialQuality quality = has_failed     ? TrialQuality::kFailed
                                 : is_disturbed ? TrialQuality::kDisturbed
                                                : TrialQuality::kSound;
    trials.record(std::vector<SessionTrial>{{0, numbered_point(x), ns, quality}});
    ASSERT_EQ(trials.fastest(1).front(), numbered_point(7));
  }
}

}  // namespace
}  // namespace nestwright
