// Failed trials whose points become unmeasured again.
#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ForgetFailuresTest : public RecordedRuns {
 protected:
  /// The numbers of the points that a new session takes over from its predecessors.
  std::vector<int> taken_over() {
    std::vector<int> numbers;
    const auto batch = log_.claim_unfinished_batch(log_.begin_session(task_, info()));
    if (!batch) return numbers;
    for (const Point& point : batch->points) {
      numbers.push_back(static_cast<int>(point.config.find("unroll_k")->value[0]));
    }
    return numbers;
  }
  std::vector<TemplateVersion> templates_{{"matmul.cpu", 1}};
};

TEST_F(ForgetFailuresTest, OnlyFailuresAreMeasuredAgain) {
  const SessionId session = run({timed(90), failed(Outcome::kWrongResult, "wrong"), timed(80)});
  log_.end_session(session, SessionStatus::kDone, "");
  EXPECT_THAT(taken_over(), IsEmpty());
  log_.forget_failures(session, templates_);
  EXPECT_EQ(log_.totals(task_).trials, 2);
  EXPECT_THAT(taken_over(), ElementsAre(1));
}

TEST_F(ForgetFailuresTest, OfOtherTemplatesStay) {
  const SessionId session = run({failed(Outcome::kWrongResult, "wrong")});
  log_.end_session(session, SessionStatus::kDone, "");
  log_.forget_failures(session, {{templates_[0].name, templates_[0].version + 1}, {"other", 1}});
  EXPECT_THAT(taken_over(), IsEmpty());
  EXPECT_EQ(log_.totals(task_).trials, 1);
}

TEST_F(ForgetFailuresTest, ThatTakeAnotherTrialsMeasurementFollowIt) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, {point(0, 1), point(1, 1)});
  const Measurement wrong = failed(Outcome::kWrongResult, "wrong");
  const TrialId first = log_.record(session, batch.ids[0], wrong, {"c0de", 0});
  log_.record(session, batch.ids[1], wrong, {"c0de", first});
  log_.end_session(session, SessionStatus::kDone, "");
  log_.forget_failures(session, templates_);
  EXPECT_THAT(taken_over(), ElementsAre(0, 1));
}

TEST_F(ForgetFailuresTest, ThatARaceHasAmongItsEntriesStay) {
  const SessionId session = run({timed(90), disturbed(95)});
  Race race = race_of({{trials_[0], 90}, {trials_[1], 95}}, 0);
  log_.record_race(session, race);
  log_.remeasure(session, trials_[1], failed(Outcome::kWrongResult, "wrong"));
  log_.end_session(session, SessionStatus::kDone, "");
  log_.forget_failures(session, templates_);
  EXPECT_THAT(taken_over(), IsEmpty());
  EXPECT_EQ(log_.totals(task_).trials, 2);
}

}  // namespace
}  // namespace nestwright
