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

}  // namespace
}  // namespace nestwright
