// Reports name no folders, and plain formats keep every trial.
#include "report/task_data.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/pictures/overview.h"
#include "report/task_page.h"
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
  EXPECT_EQ(without_paths("error:/srv/secret/x.so, [/srv/secret/y], file:///srv/secret/z"),
            "error:.../x.so, [.../y], file:///srv/secret/z");
  EXPECT_EQ(without_paths("12 GB/s and 1/2 of a / b, C[0, 0] is 1"), "12 GB/s and 1/2 of a / b, C[0, 0] is 1");
  EXPECT_EQ(without_paths("and/or"), "and/or");
}

TEST(WithoutPaths, NamesOfUsersGo) {
  EXPECT_EQ(without_paths("cwd=/home/alice HOME is '/Users/bob', /root"), "cwd=... HOME is '...', ...");
  EXPECT_EQ(without_paths("/home/alice/"),
            "..."
            "/");
}

TEST(WithoutPaths, LongTextsTakeLittleTime) {
  const std::string name(1'000'000, 'a');
  EXPECT_EQ(without_paths("/" + name), "/" + name);
  EXPECT_EQ(without_paths("/tmp/" + name), ".../" + name);
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

TEST(TaskPageTest, HasTheFastestAndTheLatestTrialsAndCountsAll) {
  const TemporaryFolder folder;
  const std::string path = log_with(folder, 40);
  const LogReader reader(path);
  const TuningLog log = TuningLog::open(path, OpenMode::kRead);
  TaskData data = read_task(reader, log, reader.tasks({}).at(0));
  ASSERT_EQ(data.trials.size(), 40);
  const TaskPage page = task_page(data, 10);
  EXPECT_THAT(page.trials.columns.id, ::testing::ElementsAre(2, 3, 4, 5, 6, 36, 37, 38, 39, 40));
  EXPECT_THAT(page.trials.number, ::testing::ElementsAre(2, 3, 4, 5, 6, 36, 37, 38, 39, 40));
  EXPECT_EQ(page.trials.columns.config(0), "unroll_k=1 tile_i=[4,2,14] pack_b=yes");
  EXPECT_THAT(page.trials.columns.messages, ::testing::ElementsAre(""));  // "signal 11" is of a trial that is left out
  EXPECT_THAT(page.trials.columns.message, ::testing::Each(0));
  EXPECT_THAT(page.kept_note, HasSubstr("Of 40 trials, the page has 10"));
  const auto outcomes = std::find_if(page.sections.begin(), page.sections.end(),
                                     [](const Section& section) { return section.title == "Outcomes"; });
  ASSERT_NE(outcomes, page.sections.end());
  EXPECT_THAT(outcomes->tables.at(0).rows, ::testing::ElementsAre(::testing::ElementsAre("ok, timed", "39", "97.5%"),
                                                                  ::testing::ElementsAre("crash", "1", "2.5%")));
}

TEST(TaskPageTest, ComparesTimesInOneUnit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    TuningLog log = TuningLog::open(path, OpenMode::kWrite);
    TrialId anchor = 0;
    for (int s = 0; s < 2; ++s) {  // in the second session, the machine is half as fast
      const double clock = s == 0 ? 1 : 2;
      const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
      const Batch batch = log.commit_batch(session, s, points(8 * s, 8));
      for (int i = 0; i < 8; ++i) {
        const TrialId trial = log.record(session, batch.ids[i], timed(clock * (100 + i)));
        if (anchor == 0) anchor = trial;
      }
      log.set_anchor(session, anchor, clock * 100);
      log.end_session(session, SessionStatus::kDone, "made up");
    }
  }
  const LogReader reader(path);
  const TuningLog log = TuningLog::open(path, OpenMode::kRead);
  TaskData data = read_task(reader, log, reader.tasks({}).at(0));
  EXPECT_EQ(data.times.unit, 2);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(compared_ns(data, i), compared_ns(data, i + 8), 1e-9);
  EXPECT_EQ(unit_note(data), " Times are in the unit of session 2.");
  data.trials.flags[0] |= kIsDisturbed;
  EXPECT_EQ(compared_ns(data, 0), 0);
  EXPECT_THAT(unit_note(data), HasSubstr("Left out: 1 disturbed trials"));
}

TEST(DatabaseSection, ComparesTasksOfOneCompiler) {
  const auto with = [](const std::string& backend, double ns) {
    TaskData data = sample_data();
    data.task.key.backend = backend;
    data.best = BestRecord();
    data.best->timing = timed(ns).timing;
    return data;
  };
  const Section section = database_section({with("LLVM 19", 50), with("LLVM 22", 40)},
                                           {with("LLVM 19", 100), with("LLVM 18", 70)}, "old", "new");
  const auto& rows = section.tables.at(0).rows;
  ASSERT_EQ(rows.size(), 3);
  EXPECT_THAT(rows[0], ::testing::Contains("2.000 x"));
  EXPECT_THAT(rows[0], ::testing::Contains("beyond both intervals"));
  EXPECT_THAT(rows[1], ::testing::Contains("not there"));
  EXPECT_THAT(rows[2].front(), HasSubstr("LLVM 18"));
}

}  // namespace
}  // namespace nestwright::report
