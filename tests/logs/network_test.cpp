// Records of networks.
#include <gmock/gmock.h>

#include "logs/sqlite/database.h"
#include "logs/upkeep/delete.h"
#include "logs/upkeep/merge.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NetworkRecord network(const std::string& graph, double median_ns, const std::string& disturbance = "") {
  NetworkRecord record;
  record.key = {graph, "cpu,isa=avx512,threads=2", "made-up machine", "LLVM 19.1.7", "stream"};
  record.model_graph = "model of " + graph;
  record.model = "net.onnx";
  record.code_generator = "abc";
  record.variant = {{{"attention", {4, 5, 6}}}, {{16, {1, 2}}, {32, {9}}}};
  record.kernels = {{"matmul m=8 n=8 k=8", point(2), {point(1), point(2)}, 1250.5}};
  record.timing.median_ns = median_ns;
  record.timing.low_ns = median_ns - 10;
  record.timing.high_ns = median_ns + 10;
  record.timing.disturbance = disturbance;
  record.process_medians_ns = {median_ns, median_ns + 1};
  record.before_ns = 2 * median_ns;
  return record;
}

class NetworkLogTest : public TwoLogs {};

TEST_F(NetworkLogTest, ARecordComesBackWhole) {
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  const NetworkRecord written = network("n", 1000);
  log.record_network(written);
  const auto read = log.find_network(written.key);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key.graph, "n");
  EXPECT_EQ(read->key.cache, "stream");
  EXPECT_EQ(read->model_graph, "model of n");
  EXPECT_EQ(read->model, "net.onnx");
  EXPECT_EQ(read->code_generator, "abc");
  EXPECT_EQ(read->variant, written.variant);
  ASSERT_EQ(read->kernels.size(), 1U);
  EXPECT_EQ(read->kernels[0].workload, "matmul m=8 n=8 k=8");
  EXPECT_EQ(read->kernels[0].point.key(), point(2).key());
  EXPECT_EQ(read->kernels[0].compared.size(), 2U);
  EXPECT_EQ(read->kernels[0].saved_ns, 1250.5);
  EXPECT_EQ(read->timing.median_ns, 1000);
  EXPECT_EQ(read->timing.high_ns, 1010);
  EXPECT_THAT(read->process_medians_ns, ElementsAre(1000, 1001));
  EXPECT_EQ(read->before_ns, 2000);
  EXPECT_EQ(read->kernels_ns, 0) << "it is not known";
  EXPECT_FALSE(read->recorded_at.empty());
}

TEST_F(NetworkLogTest, TheLatestUndisturbedOneAnswers) {
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  EXPECT_FALSE(log.find_network(network("n", 1).key));
  log.record_network(network("n", 1000, "a neighbour"));
  EXPECT_EQ(log.find_network(network("n", 1).key)->timing.median_ns, 1000) << "nothing better is known";
  EXPECT_FALSE(log.find_network_of("model of n", network("n", 1).key)) << "it decides nothing";
  log.record_network(network("n", 900));
  log.record_network(network("n", 950));
  log.record_network(network("n", 800, "a neighbour"));
  EXPECT_EQ(log.find_network(network("n", 1).key)->timing.median_ns, 950);
  EXPECT_EQ(log.find_network_of("model of n", network("other", 1).key)->timing.median_ns, 950);
  NetworkKey other = network("n", 1).key;
  other.cache = "warm";
  EXPECT_FALSE(log.find_network(other));
}

TEST_F(NetworkLogTest, ARecordThatCannotBeReadIsPassedOver) {
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    log.record_network(network("n", 900));
    log.record_network(network("n", 950));
  }
  execute(a_, "UPDATE network SET kernels = '[{}]' WHERE median_ns = 950");
  std::vector<std::string> notes;
  const TuningLog log =
      TuningLog::open(a_, OpenMode::kRead, {.on_note = [&](const std::string& note) { notes.push_back(note); }});
  EXPECT_EQ(log.find_network(network("n", 1).key)->timing.median_ns, 900);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("of the table network")));
}

TEST_F(NetworkLogTest, RecordsThatCannotBeAreRefused) {
  for (const char* const damage :
       {"median_ns = 0", "variant = '{\"groupings\":[],\"blocked\":{\"x\":[1]}}'",
        R"(kernels = '[{"workload":"w","template":"t","version":1,"config":{},"compared":[],"saved_ns":0}]')"}) {
    SCOPED_TRACE(damage);
    TuningLog::open(a_, OpenMode::kWrite).record_network(network("n", 900));
    execute(a_, std::string("UPDATE network SET ") + damage);
    EXPECT_FALSE(TuningLog::open(a_, OpenMode::kRead).find_network(network("n", 1).key));
    execute(a_, "DELETE FROM network");
  }
}

TEST_F(NetworkLogTest, ThatOfDeletedTasksIsDeleted) {
  TaskKey task = task_of(matmul(8, 8, 8)), other = task_of(matmul(9, 9, 9));
  task.cache = other.cache = "stream";
  record(a_, task, "2026-01-01T00:00:00.000Z", {{1, timed(100)}});
  record(a_, other, "2026-01-01T00:00:00.000Z", {{1, timed(100)}});
  TuningLog::open(a_, OpenMode::kWrite).record_network(network("n", 900));
  delete_sessions(a_, {.tasks = filter_of(other)}, false);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM network"), 1) << "its kernel has a task";
  delete_sessions(a_, {.tasks = filter_of(task)}, false);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM network"), 0);
}

TEST_F(NetworkLogTest, MergingAddsThemOnce) {
  TuningLog::open(a_, OpenMode::kWrite).record_network(network("n", 900));
  TuningLog::open(b_, OpenMode::kWrite).record_network(network("n", 700));
  for (int turn = 0; turn < 2; ++turn) merge_log(a_, b_);
  EXPECT_EQ(value(b_, "SELECT count(*) FROM network"), 2);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM network"), 1);
}

TEST_F(NetworkLogTest, ATrialIsFoundByItsPoint) {
  const TaskKey task = task_of(matmul(8, 8, 8));
  const Recorded recorded = record(a_, task, "2026-01-01T00:00:00.000Z", {{1, timed(100)}, {2, timed(90)}});
  const TuningLog log = TuningLog::open(a_, OpenMode::kRead);
  EXPECT_EQ(log.trial_of(task, point(2)), recorded.trials[1]);
  EXPECT_FALSE(log.trial_of(task, point(3)));
  EXPECT_FALSE(log.trial_of(task, point(2, 2))) << "another version of the template";
  EXPECT_FALSE(log.trial_of(task_of(matmul(8, 8, 9)), point(2)));
}

}  // namespace
}  // namespace nestwright
