// Records of other tuners are listed, and never reach a query for a best or the trials that a search learns from.

#include <gmock/gmock.h>

#include "tests/logs/exchange/exchanged_files.h"
#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

using ::testing::IsEmpty;

class ForeignRecords : public RecordedRuns {
 protected:
  void SetUp() override {
    // Named as one of our own tasks is, as far as a file can.
    const std::string file = recorded_file("scale_cache.json");
    import_records(path_, {.file = file, .kernel = "matmul", .device = task_.machine});
  }
};

TEST_F(ForeignRecords, AreFoundOnlyWhereTheyAreAskedFor) {
  EXPECT_EQ(log_.trials(every_task()).size(), 5u);
  EXPECT_THAT(log_.trials({}), IsEmpty());
  EXPECT_THAT(log_.list({}), IsEmpty());
  EXPECT_FALSE(log_.best({}));
  EXPECT_THAT(log_.top({}, 10), IsEmpty());
  TaskFilter named;
  named.workload = "kernel_tuner:matmul problem_size=100000";
  EXPECT_FALSE(log_.best(named));
  EXPECT_THAT(log_.trials(named), IsEmpty());
  named.with_foreign = true;
  EXPECT_TRUE(log_.best(named)) << "a report shows it";
}

TEST_F(ForeignRecords, AnswerNoQueryOfAnOwnTask) {
  EXPECT_FALSE(
      find_best(log_, task_.workload, filter_of(task_), task_.machine, {}, [](const BestRecord&) { return true; }));
  TaskFilter any;
  EXPECT_THAT(log_.nearest(task_.workload, any, 10), IsEmpty());
  EXPECT_THAT(log_.history(task_, 100, 100), IsEmpty());
  EXPECT_THAT(log_.trials_after(task_, 0), IsEmpty());
  EXPECT_THAT(log_.relatives(task_, 10), IsEmpty());
  EXPECT_THAT(log_.challengers(task_, 10), IsEmpty());
  // Nor do they where the task has trials.
  run({timed(100)});
  EXPECT_EQ(best()->task.workload.text, task_.workload.text);
  EXPECT_EQ(log_.list({}).size(), 1u);
  EXPECT_THAT(log_.relatives(task_, 10), IsEmpty());
}

TEST_F(ForeignRecords, AreKeptFromQueriesByTheirSourceAlone) {
  // Keys as those of a task of ours of another shape.
  sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 1000);
  database.execute(
      "UPDATE workload SET op = 'matmul', dtype = 'float32', parameters = '{\"m\":512,\"n\":512,\"k\":256}';"
      "UPDATE target SET target = 'cpu,isa=avx512,threads=2', threads = 2, backend = 'LLVM 19.1.7';"
      "UPDATE task SET cache = 'warm', pages = 'small'");
  const SessionId session = log_.begin_session(task_, info());
  EXPECT_THAT(log_.nearest(task_.workload, {}, 10), IsEmpty());
  EXPECT_THAT(log_.relatives(task_, 10), IsEmpty());
  EXPECT_THAT(log_.list({}), IsEmpty());
  database.execute("UPDATE workload SET source = ''");
  EXPECT_EQ(log_.nearest(task_.workload, {}, 10).size(), 1u) << "this test proves nothing";
  EXPECT_EQ(log_.list({}).size(), 1u);
  log_.end_session(session, SessionStatus::kDone, "");
}

}  // namespace
}  // namespace nestwright
