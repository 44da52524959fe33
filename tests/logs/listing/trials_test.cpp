#include "logs/listing/trials.h"

#include <gmock/gmock.h>

#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class ListedTrialsTest : public TwoLogs {
 protected:
  void SetUp() override {
    first_ = record(a_, task_, "2026-01-01", {{1, timed(30)}, {2, failed(Outcome::kTimeout, "it took too long")}});
    second_ = record(a_, task_, "2026-01-02", {{3, timed(10)}, {12, disturbed(20)}});
    record(a_, task_of(matmul(64, 64, 64)), "2026-01-03", {{1, timed(5)}});
  }
  std::vector<TrialId> listed(const TrialFilter& filter) {
    std::vector<TrialId> ids;
    for (const ListedTrial& trial : list_trials(a_, filter).trials) ids.push_back(trial.id);
    return ids;
  }

  Recorded first_, second_;
};

TEST_F(ListedTrialsTest, HaveWhatWasRecorded) {
  const TrialListing listing = list_trials(a_, {.tasks = filter_of(task_)});
  ASSERT_EQ(listing.tasks.size(), 1u);
  EXPECT_EQ(listing.tasks[0].workload.text, task_.workload.text);
  ASSERT_EQ(listing.trials.size(), 4u);
  const ListedTrial& timed_trial = listing.trials[0];
  EXPECT_EQ(timed_trial.from, (TemplateVersion{"matmul.cpu", 1}));
  EXPECT_EQ(timed_trial.config, point(1).config.str());
  EXPECT_EQ(timed_trial.origin, "evolutionary");
  EXPECT_EQ(timed_trial.median_ns, 30);
  EXPECT_TRUE(timed_trial.verified);
  EXPECT_EQ(timed_trial.largest_error_ratio, 0.125);
  EXPECT_EQ(timed_trial.compile_ms, 15.5);
  EXPECT_EQ(listing.trials[1].outcome, Outcome::kTimeout);
  EXPECT_EQ(listing.trials[1].message, "it took too long");
  EXPECT_EQ(listing.trials[1].median_ns, 0);
  EXPECT_EQ(listing.trials[3].disturbance, "another process took the CPU");
  EXPECT_FALSE(listing.is_cut);
}

TEST_F(ListedTrialsTest, AreFiltered) {
  EXPECT_THAT(listed({}), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(listed({.tasks = {.workload = "matmul m=64 n=64 k=64"}}), ElementsAre(5));
  EXPECT_THAT(listed({.session = second_.session}), ElementsAre(3, 4));
  EXPECT_THAT(listed({.outcome = Outcome::kTimeout}), ElementsAre(2));
  EXPECT_THAT(listed({.from_template = "matmul.cpu"}), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(listed({.from_template = "matmul.gpu"}), ElementsAre());
  EXPECT_THAT(listed({.entries = {"unroll_k=1"}}), ElementsAre(1, 5)) << "not unroll_k=12";
  EXPECT_THAT(listed({.tasks = filter_of(task_), .entries = {"pack_b=yes", "unroll_k=12"}}), ElementsAre(4));
  EXPECT_THAT(listed({.since = "9999"}), ElementsAre());
  EXPECT_THAT(
      listed({.session = second_.session, .outcome = Outcome::kOk, .since = "2000-01-01", .entries = {"unroll_k=3"}}),
      ElementsAre(3));
}

TEST_F(ListedTrialsTest, AreInTheirOrderAndCutToTheLimit) {
  EXPECT_THAT(listed({.limit = 2}), ElementsAre(4, 5));
  EXPECT_THAT(listed({.order = TrialOrder::kTime}), ElementsAre(5, 3, 4, 1, 2));
  EXPECT_THAT(listed({.tasks = filter_of(task_), .order = TrialOrder::kTime, .limit = 3}), ElementsAre(3, 4, 1));
  EXPECT_TRUE(list_trials(a_, {.limit = 4}).is_cut);
  EXPECT_FALSE(list_trials(a_, {.limit = 5}).is_cut);
}

}  // namespace
}  // namespace nestwright
