#include "logs/listing/difference.h"

#include <gmock/gmock.h>

#include "logs/upkeep/merge.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

class DifferenceTest : public TwoLogs {
 protected:
  DatabaseDifference compared(const TaskFilter& filter = {}) {
    return compare_bests(TuningLog::open(a_, OpenMode::kRead), TuningLog::open(b_, OpenMode::kRead), filter);
  }
  void record_both(const TaskKey& task, double first_ns, double second_ns) {
    race(a_, record(a_, task, "2026-01-01", {{1, timed(first_ns)}}), "2026-01-01", {first_ns});
    race(b_, record(b_, task, "2026-01-02", {{2, timed(second_ns)}}), "2026-01-02", {second_ns});
  }
};

TEST_F(DifferenceTest, TheSameRecordIsUnchanged) {
  race(a_, record(a_, task_, "2026-01-01", {{1, timed(10)}}), "2026-01-01", {10});
  merge_log(a_, b_);
  EXPECT_TRUE(compared().differences.empty());
  EXPECT_EQ(compared().unchanged, 1);
}

TEST_F(DifferenceTest, TheLargestChangeBeyondTheIntervalsComesFirst) {
  record_both(task_, 100, 100.5);  // within the intervals of 1%
  record_both(task_of(matmul(64, 64, 64)), 100, 110);
  record_both(task_of(matmul(32, 32, 32)), 100, 50);
  record(a_, task_of(matmul(16, 16, 16)), "2026-01-01", {{1, timed(1)}});
  record(b_, task_of(matmul(8, 8, 8)), "2026-01-01", {{1, timed(1)}});
  const DatabaseDifference result = compared();
  ASSERT_EQ(result.differences.size(), 5u);
  EXPECT_EQ(result.differences[0].ratio, 0.5);
  EXPECT_TRUE(result.differences[0].is_beyond_intervals);
  EXPECT_DOUBLE_EQ(result.differences[1].ratio, 1.1);
  EXPECT_TRUE(result.differences[1].is_beyond_intervals);
  EXPECT_EQ(result.differences[2].ratio, 1.005);
  EXPECT_FALSE(result.differences[2].is_beyond_intervals);
  EXPECT_EQ(result.differences[3].first->task.workload.text, "matmul m=16 n=16 k=16");
  EXPECT_FALSE(result.differences[3].second.has_value());
  EXPECT_EQ(result.differences[4].second->task.workload.text, "matmul m=8 n=8 k=8");
  EXPECT_EQ(result.differences[4].ratio, 0);
  EXPECT_EQ(compared({.workload = "matmul m=8 n=8 k=8"}).differences.size(), 1u);
}

TEST_F(DifferenceTest, BackendsAreComparedAndMachinesAreNot) {
  TaskKey newer = task_, elsewhere = task_;
  newer.backend = "LLVM 20";
  elsewhere.machine = "another machine";
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  record(b_, newer, "2026-01-01", {{1, timed(20)}});
  record(b_, elsewhere, "2026-01-01", {{1, timed(30)}});
  const DatabaseDifference result = compared();
  ASSERT_EQ(result.differences.size(), 2u);
  EXPECT_EQ(result.differences[0].ratio, 2);
  EXPECT_EQ(result.differences[1].second->task.machine, "another machine");
}

}  // namespace
}  // namespace nestwright
