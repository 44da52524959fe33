// A session of a task with more recorded trials than a session reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "search/propose/unseen_points.h"
#include "search/space/search_space.h"
#include "support/os/scratch_folder.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::Contains;

class SessionHistory : public ::testing::Test {
 protected:
  static constexpr int kTrials = 4500, kBatch = 500;

  SessionHistory() {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    const TaskContext context(task_);
    const SearchSpace space(context);
    const SessionId id = log_.begin_session(context.key(), {.made_by = context.provenance()});
    std::vector<Point> points = {space.seeds().front()};
    std::mt19937_64 random(1);
    SeenPoints seen;
    seen.insert(points.front());
    add_samples(space, kTrials - 1, random, seen, points);
    for (int batch = 0; batch * kBatch < kTrials; ++batch) {
      record(id, batch, std::span(points).subspan(static_cast<std::size_t>(batch) * kBatch, kBatch));
    }
    log_.set_anchor(id, trials_[0], 1e6);
    log_.set_incumbent(id, trials_[1]);
    log_.end_session(id, SessionStatus::kDone, "all was measured");
  }

  /// The second trial of all is the fastest, the first the default; the others are slow.
  void record(SessionId id, int number, std::span<const Point> points) {
    for (const ProposalId proposal : log_.commit_batch(id, number, {points.begin(), points.end()}).ids) {
      const double ns = trials_.empty() ? 1e6 : trials_.size() == 1 ? 1e5 : 2e6;
      trials_.push_back(log_.record(id, proposal, timed(ns), {"code " + std::to_string(trials_.size()), 0}));
    }
  }

  const Task task_{parse_workload("matmul m=96 n=96 k=96"), Target::parse("host")};
  const ScratchFolder folder_{"long-history-test"};
  TuningLog log_ = TuningLog::open(folder_.path() + "/log.db", OpenMode::kWrite);
  std::vector<TrialId> trials_;
};

TEST_F(SessionHistory, ItsAnchorAndItsIncumbentRaceThoughTheyAreTheOldest) {
  ASSERT_EQ(trials_.size(), static_cast<std::size_t>(kTrials));
  const SessionResult result = run_session(task_, log_, {.budget = {.trials = 8}, .batch_size = 8});
  EXPECT_EQ(result.trials, 8);
  EXPECT_EQ(result.earlier_trials, kTrials);
  std::vector<TrialId> raced;
  const TaskFilter filter = filter_of(task_key(task_));
  for (const BestRecord& entry : log_.top(filter, 16)) {
    if (entry.source == BestSource::kRace) raced.push_back(entry.trial);
  }
  if (result.race_disturbance.empty()) {
    EXPECT_THAT(raced, Contains(trials_[0])) << "the default";
    EXPECT_THAT(raced, Contains(trials_[1])) << "the stored best";
  }
  std::set<std::string> configs;
  for (const TrialRecord& trial : log_.trials(filter)) {
    EXPECT_TRUE(configs.insert(trial.point.template_name + trial.point.config.str()).second) << "measured twice";
  }
  EXPECT_EQ(configs.size(), static_cast<std::size_t>(kTrials + 8));
}

}  // namespace
}  // namespace nestwright
