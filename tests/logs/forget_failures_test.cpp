// Failed trials whose points become unmeasured again.
#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ForgetFailuresTest : public RecordedRuns {
 protected:
  /// The positions of the points that a new session takes over from its predecessors.
  std::vector<int> taken_over() {
    std::vector<int> positions;
    const auto batch = log_.claim_unfinished_batch(log_.begin_session(task_, info()));
    if (!batch) return positions;
    for (const CommittedProposal& proposal : batch->proposals) positions.push_back(proposal.position);
    return positions;
  }
  std::vector<TemplateVersion> templates_{point(0, 1).from};
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
  const TrialId first = log_.record(session, batch.proposals[0].id, wrong, {"c0de", 0});
  log_.record(session, batch.proposals[1].id, wrong, {"c0de", first});
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
