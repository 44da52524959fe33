// A session learns from a task of another shape that was tuned after the session began.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "nestwright/registry.h"
#include "search/propose/warm_start.h"
#include "search/session/session.h"
#include "support/os/scratch_folder.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

class SessionRelatives : public ::testing::Test {
 protected:
  SessionRelatives() { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  static TaskContext context_of(const std::string& sizes) {
    return TaskContext(Task{parse_workload("matmul " + sizes), Target::parse("host")});
  }

  /// Records a session of the task whose only trial is a random point that is also valid, and unknown, in `space`.
  void record_best_for(const TaskContext& task, const SearchSpace& space, const std::vector<Point>& known) {
    const SearchSpace own(task);
    std::mt19937_64 random(1);
    Point point = *own.sample(random);
    while (!space.is_valid(point) || std::ranges::find(known, point) != known.end()) point = *own.sample(random);
    const SessionId id = log_.begin_session(task.key(), {.made_by = task.provenance()});
    const Batch batch = log_.commit_batch(id, 0, {point});
    log_.record(id, batch.ids.front(), timed(1e5), {"some code", 0});
    log_.end_session(id, SessionStatus::kDone, "");
  }

  std::vector<Point> tried(const TaskContext& task) const {
    std::vector<Point> points;
    for (const TrialRecord& trial : log_.trials(filter_of(task.key()))) points.push_back(trial.point);
    return points;
  }

  const ScratchFolder folder_{"session-relatives-test"};
  TuningLog log_ = TuningLog::open(folder_.path() + "/log.db", OpenMode::kWrite);
};

TEST_F(SessionRelatives, TheBestPointOfARelativeIsTriedNext) {
  const TaskContext mine = context_of("m=96 n=96 k=96"), other = context_of("m=128 n=96 k=96");
  TuningSession session(mine, log_, {.effort = Effort::kQuick, .batch_size = 8, .finalists = 0});
  ASSERT_TRUE(session.step());
  const std::vector<Point> before = tried(mine);
  ASSERT_EQ(before.size(), 8u);
  const SearchSpace space(mine);
  record_best_for(other, space, before);
  const std::vector<Point> its_best = tried(other);
  ASSERT_EQ(its_best.size(), 1u);
  ASSERT_TRUE(session.step());
  const std::vector<Point> after = tried(mine);
  EXPECT_EQ(after.size(), 16u);
  EXPECT_THAT(after, ::testing::Contains(its_best.front()));
  session.finish();
}

}  // namespace
}  // namespace nestwright
