// Studies and measurements beside each other, through builders and runners, on a small matrix product.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class StudyTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  const TaskContext context_{Task{parse_workload("matmul m=24 n=32 k=16"), Target::parse("cpu")}};
};

TEST_F(StudyTest, AsksForEachPointOnceAndLearnsWhatItIsTold) {
  Study study(context_, {.strategy = "genetic", .batch_size = 4});
  std::set<std::string> asked;
  int right = 0;
  for (int i = 0; i < 9; ++i) {
    const std::optional<Point> point = study.ask();
    ASSERT_TRUE(point.has_value());
    EXPECT_TRUE(asked.insert(point->key()).second) << point->key();
    const Measurement measured = study.measure(*point);
    if (measured.outcome == Outcome::kOk) {
      EXPECT_TRUE(measured.evidence.verified);
      ++right;
    }
    study.tell(*point, measured);
  }
  EXPECT_GE(right, 1);
}

TEST_F(StudyTest, TakesWhatWasMeasuredElsewhere) {
  Study study(context_, {.strategy = "random", .batch_size = 2});
  Measurement failed, timed;
  failed.outcome = Outcome::kTimeout;
  timed.timing.median_ns = 1e5;
  for (const Measurement& told : {timed, failed, timed}) study.tell(study.ask().value(), told);
  EXPECT_TRUE(study.ask().has_value());
}

TEST_F(StudyTest, MeasuresAPointAgain) {
  Study study(context_);
  const Point point = study.ask().value();
  EXPECT_EQ(study.measure(point).outcome, Outcome::kOk);
  EXPECT_EQ(study.measure(point).outcome, Outcome::kOk);
}

TEST_F(StudyTest, RefusesWhatIsNotInTheSpace) {
  Study study(context_);
  Point point = study.ask().value();
  point.version += 1;
  EXPECT_THAT([&] { study.tell(point, {}); }, ThrowsMessage<UsageError>(HasSubstr("has no point")));
  EXPECT_THAT([&] { study.measure(point); }, ThrowsMessage<UsageError>(HasSubstr("has no point")));
}

TEST_F(StudyTest, ConfigurationsAreTimedBesideEachOther) {
  const Lookup fallback = look_up(context_, nullptr);
  const std::vector<Measurement> measured = measure_beside(context_, {fallback, fallback});
  ASSERT_EQ(measured.size(), 2u);
  for (const Measurement& m : measured) {
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
    EXPECT_TRUE(m.evidence.verified);
  }
}

TEST_F(StudyTest, AnotherMachinesTargetIsRefused) {
  const TaskContext device(Task{context_.workload(), Target::parse("cuda,arch=sm_120"), CacheState::kCold});
  EXPECT_THROW(Study{device}, UsageError);
  EXPECT_THROW(measure_beside(device, {}), UsageError);
}

TEST(SessionOptions, AreThoseOfTheEffortUnlessTheBudgetIsGiven) {
  EXPECT_EQ(session_options(Effort::kQuick).budget.seconds, 10);
  EXPECT_GT(session_options(Effort::kQuick).budget.until_gain, 0);
  EXPECT_EQ(session_options(Effort::kFull).finalists, 8);
  const SessionOptions given = session_options(Effort::kQuick, {.trials = 7});
  EXPECT_EQ(given.budget.trials, 7);
  EXPECT_EQ(given.budget.seconds, 0);
  EXPECT_EQ(given.effort, Effort::kQuick);
}

}  // namespace
}  // namespace nestwright
