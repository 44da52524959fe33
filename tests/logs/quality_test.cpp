// How far the time of a record can be trusted.
#include "logs/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

BestRecord record_of(BestSource source, std::int64_t trials = 10) {
  BestRecord record;
  record.source = source;
  record.trials = trials;
  return record;
}

TEST(Quality, FollowsFromTheSource) {
  EXPECT_EQ(quality_of(record_of(BestSource::kRace)), Quality::kRaced);
  EXPECT_EQ(quality_of(record_of(BestSource::kConfirmed)), Quality::kConfirmed);
  EXPECT_EQ(quality_of(record_of(BestSource::kUnconfirmed)), Quality::kConfirmed);
  EXPECT_EQ(quality_of(record_of(BestSource::kDisturbed)), Quality::kDisturbed);
}

TEST(Quality, OfTheOnlyTrialIsDefault) {
  EXPECT_EQ(quality_of(record_of(BestSource::kConfirmed, 1)), Quality::kDefault);
  EXPECT_EQ(quality_of(record_of(BestSource::kDisturbed, 1)), Quality::kDisturbed);
  EXPECT_EQ(quality_of(record_of(BestSource::kRace, 1)), Quality::kRaced);
}

TEST(Quality, OfATrialThatIsAskedForIsThatOfItsTime) {
  BestRecord record = record_of(BestSource::kTrial);
  EXPECT_EQ(quality_of(record), Quality::kConfirmed);
  record.timing.disturbance = "a neighbour";
  EXPECT_EQ(quality_of(record), Quality::kDisturbed);
}

TEST(Quality, HasNamesInOrder) {
  EXPECT_THAT(quality_names(), ::testing::ElementsAre("default", "disturbed", "confirmed", "raced"));
  for (const std::string& name : quality_names()) EXPECT_EQ(quality_name(parse_quality(name)), name);
  EXPECT_LT(Quality::kConfirmed, Quality::kRaced);
  EXPECT_THAT(
      [] { parse_quality("good"); },
      ::testing::ThrowsMessage<UsageError>("unknown quality 'good': use one of default, disturbed, confirmed, raced"));
}

Measurement timed(std::size_t samples) {
  Measurement measurement;
  measurement.evidence.verified = true;
  measurement.timing.samples_ns.resize(samples, 1);
  return measurement;
}

TEST(Improvement, OfAWholeIsOnlyAnotherWholeOrAFailure) {
  Measurement part = timed(9), early = timed(9), noisy = timed(9), failed;
  part.evidence.verified = false;
  part.timing.part_ratio = 4;
  early.timing.ended_early = true;
  noisy.timing.disturbance = "a neighbour";
  failed.outcome = Outcome::kCrash;
  for (const Measurement& less : {part, early, noisy}) {
    EXPECT_FALSE(improves(less, timed(3)));
    EXPECT_TRUE(improves(timed(3), less));
    EXPECT_TRUE(improves(less, failed)) << "what failed has no time";
  }
  EXPECT_FALSE(improves(part, early));
  EXPECT_TRUE(improves(early, part));
  EXPECT_TRUE(improves(early, early)) << "its time is corrected";
  EXPECT_TRUE(improves(failed, timed(3)));
  EXPECT_TRUE(improves(timed(3), timed(3)));
  EXPECT_FALSE(improves(timed(2), timed(3)));
  EXPECT_TRUE(improves(early, noisy));
}

}  // namespace
}  // namespace nestwright
