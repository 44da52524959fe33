// Reports name no folders, and plain formats keep every trial.
#include "report/task_data.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/trial_table.h"
#include "tests/logs/sample.h"
#include "tests/report/trials.h"

namespace nestwright::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(WithoutPaths, KeepsFileNames) {
  EXPECT_EQ(without_paths("/home/a/b.c:3: no 'x' in /usr/include/c.h"), ".../b.c:3: no 'x' in .../c.h");
  EXPECT_EQ(without_paths("nestwright tune --db '/tmp/x/n.db'"), "nestwright tune --db '.../n.db'");
  EXPECT_EQ(without_paths("12 GB/s and 1/2 of a / b, C[0, 0] is 1"), "12 GB/s and 1/2 of a / b, C[0, 0] is 1");
  EXPECT_EQ(without_paths("and/or"), "and/or");
}

TaskData sample_data() {
  TaskData data;
  data.task.key = task_of(matmul(512, 512, 512));
  data.trials = timed_trials({100, 50});
  data.trials.messages = {"a \"quoted\", text"};
  add_knob(data.trials, "unroll", {"1", "2"}, {0, 1});
  add_knob(data.trials, "order", {"[0,1]"}, {0, 0});
  return data;
}

TEST(TrialsCsv, QuotesWhatNeedsIt) {
  const std::string csv = trials_csv({sample_data()});
  EXPECT_THAT(csv, StartsWith("workload,target,"));
  EXPECT_THAT(csv,
              HasSubstr("matmul m=512 n=512 k=512,\"cpu,isa=avx512,threads=2\",warm,made-up machine,2,1,0.250,ok,"
                        "verified,50,49.5,51,matmul.cpu,\"unroll=2 order=[0,1]\",,\"a \"\"quoted\"\", text\"\r\n"));
}

TEST(TrialsJson, HasEveryTrial) {
  const nlohmann::json json = nlohmann::json::parse(trials_json({sample_data()}));
  EXPECT_EQ(json[0]["workload"], "matmul m=512 n=512 k=512");
  EXPECT_EQ(json[0]["trials"]["median_ns"], nlohmann::json({100.0, 50.0}));
  EXPECT_EQ(json[0]["trials"]["config_text"][1], "unroll=2 order=[0,1]");
  EXPECT_EQ(json[0]["best"], nullptr);
}

/// A log with one session of `count` trials, the first of which failed; later ones are slower.
std::string log_with(const TemporaryFolder& folder, int count) {
  const std::string path = folder.file("a.db");
  TuningLog log = TuningLog::open(path, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
  const Batch batch = log.commit_batch(session, 0, points(0, count));
  for (int i = 0; i < count; ++i) {
    log.record(session, batch.ids[i], i == 0 ? failed(Outcome::kCrash, "signal 11") : timed(100 + i));
  }
  log.end_session(session, SessionStatus::kDone, "made up");
  return path;
}

TEST(ReadTask, KeepsTheFastestAndTheLatest) {
  const TemporaryFolder folder;
  const std::string path = log_with(folder, 40);
  const LogReader reader(path);
  const TuningLog log = TuningLog::open(path, OpenMode::kRead);
  const TaskData data = read_task(reader, log, reader.tasks({}).at(0), 10);
  EXPECT_EQ(data.recorded, 40);
  EXPECT_THAT(data.trials.id, ::testing::ElementsAre(2, 3, 4, 5, 6, 36, 37, 38, 39, 40));
  EXPECT_EQ(data.trials.config(0), "unroll_k=1 tile_i=[4,2,14] pack_b=yes");
  EXPECT_EQ(read_task(reader, log, reader.tasks({}).at(0), 100).trials.size(), 40);
}

}  // namespace
}  // namespace nestwright::report
