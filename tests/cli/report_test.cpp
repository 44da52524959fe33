// report writes pages that open in a browser, whatever a database contains.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lookup/task_key.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/target.h"
#include "nestwright/workload.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "<script>document.title='run'</script> in /home/someone/secret/kernel.c";

class ReportTest : public CommandTest {
 protected:
  ReportTest() {
    TuningLog log = TuningLog::open(folder_.file("a.db"), OpenMode::kWrite);
    fill(log, task_key(Task{parse_workload("matmul m=64 n=64 k=64"), Target::parse("cpu,isa=avx2,threads=1")}), 90,
         true);
    TaskKey other = task_of(matmul(512, 512, 512));
    other.machine = kHostile;
    fill(log, other, 30, false);
    other.workload.text = other.workload.op = kHostile;  // of a plugin that is not loaded
    fill(log, other, 8, false);
  }

  /// Records a session of `count` trials with a race. `is_real`: of the default and of points that do not exist, else
  /// only of those.
  static void fill(TuningLog& log, const TaskKey& task, int count, bool is_real) {
    SessionInfo how = info();
    how.made_by.plugins = {kHostile};
    const SessionId session = log.begin_session(task, how);
    std::vector<Point> made = points(0, count);
    if (is_real) {
      const Lookup found = look_up(Task{parse_workload(task.workload.text), Target::parse(task.target)}, nullptr);
      for (int i = 0; i < count; ++i) {
        made[i] = {found.source->name, found.source->version, found.config};
        made[i].config.set("unroll_k", {1 << i % 4});
        made[i].config.set("register_rows", {2 + i / 4});
      }
    }
    const Batch batch = log.commit_batch(session, 0, made, kHostile);
    Race race;
    for (int i = 0; i < count; ++i) {
      const bool fails = i % 7 == 3;
      const double ns = 1e5 * (1 + 0.02 * (i / 4) + 0.1 * (i % 4));
      const TrialId trial = log.record(session, batch.ids[i], fails ? failed(Outcome::kCrash, kHostile) : timed(ns));
      if (fails || race.entries.size() == 3) continue;
      race.entries.push_back({trial, i == 0 ? "default" : "finalist", timed(ns), i == 1, {ns, 1.01 * ns, 0.99 * ns}});
    }
    race.winner = 0;
    log.record_race(session, race);
    log.end_session(session, SessionStatus::kDone, kHostile);
  }

  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_.file(name));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  /// Opens reports as a reader does. Returns what is wrong with them.
  std::string opened(const std::string& arguments) const {
    const std::string log = folder_.file("opened.txt");
    const std::string command = std::string("cd ") + folder_.path() +
                                " && python3 " NESTWRIGHT_SOURCE_DIR "/tests/report/open_report.py " + arguments +
                                " > " + log + " 2>&1";
    const int code = std::system(command.c_str());
    return code == 0 ? "" : text_of("opened.txt") + "no problem is named";
  }
  static bool has_browser() { return std::system("command -v chromium >/dev/null") == 0; }
};

TEST_F(ReportTest, OpensInABrowser) {
  if (!has_browser()) GTEST_SKIP() << "chromium is not installed";
  ASSERT_EQ(run("report matmul m=64 n=64 k=64 --db a.db --out one.html").code, 0);
  ASSERT_EQ(run("report --all --db a.db --compare a.db --out all.html").code, 0);
  EXPECT_EQ(opened("one.html all.html"), "");
}

TEST_F(ReportTest, TheCheckOfABrowserFindsWhatIsWrong) {
  if (!has_browser()) GTEST_SKIP() << "chromium is not installed";
  ASSERT_EQ(run("report matmul m=64 n=64 k=64 --db a.db --out good.html").code, 0);
  const auto change = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string text = text_of("good.html");
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(folder_.file(name)) << text;
  };
  change("throws.html", "show().catch(", "setTimeout(() => { throw new Error('planted'); }); show().catch(");
  EXPECT_THAT(opened("--once throws.html"), HasSubstr("planted"));
  change("wide.html", "h1 {", "h1 { width: 3000px;");
  EXPECT_THAT(opened("--once wide.html"), HasSubstr("wider than the window"));
  change("bare.html", "return new Chart(", "return 1; new Chart(");
  EXPECT_THAT(opened("--once bare.html"), HasSubstr("has no marks"));
  change("unsorted.html", "rows.sort(", "rows.slice().sort(");
  EXPECT_THAT(opened("--once unsorted.html"), HasSubstr("does not reverse its order"));
}

TEST_F(ReportTest, NamesNoFoldersUnlessAsked) {
  const CommandOutput csv = run("report matmul m=64 n=64 k=64 --db a.db --format csv --out -");
  EXPECT_EQ(csv.code, 0);
  EXPECT_THAT(csv.out, HasSubstr(".../kernel.c"));
  EXPECT_THAT(run("report matmul --db a.db --format json --out -").out, Not(HasSubstr("/home/someone")));
  EXPECT_THAT(csv.out, Not(HasSubstr("someone")));
  EXPECT_THAT(run("report matmul m=64 n=64 k=64 --db a.db --format csv --with-paths --out -").out,
              HasSubstr("/home/someone/secret/kernel.c"));
}

TEST_F(ReportTest, AllIncludesTasksOfUnknownOperators) {
  const CommandOutput json = run("report --all --db a.db --format json --out -");
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.out, HasSubstr("document.title"));
  EXPECT_EQ(run("report --all --db a.db --out all.html").err, "wrote all.html with 3 tasks\n");
}

TEST_F(ReportTest, TellsWhichWorkloadsHaveNoTrials) {
  const CommandOutput some = run(std::vector<std::string>{"report", "matmul m=64 n=64 k=64", "matmul m=65 n=64 k=64",
                                                          "--db", "a.db", "--out", "x.html"});
  EXPECT_EQ(some.code, 0);
  EXPECT_THAT(some.err, HasSubstr("nothing is recorded for matmul m=65 n=64 k=64 in 'a.db': left out"));
  EXPECT_THAT(some.err, HasSubstr("wrote x.html with 1 task"));
  expect_refusal(run("report matmul m=64 n=64 k=64 --threads 3 --caches cold --db a.db --out x.html"), 3,
                 {"nothing is recorded for matmul m=64", "threads=3", "--caches cold in 'a.db'"});
}

TEST_F(ReportTest, TasksOfAFileHaveItsLabels) {
  std::ofstream(folder_.file("tasks.json")) << R"([{"workload": "matmul m=64 n=64 k=64", "label": "first layer"}])";
  const CommandOutput json = run("report --file tasks.json --db a.db --format json --out -");
  EXPECT_EQ(json.code, 0);
  EXPECT_THAT(json.out, HasSubstr("first layer"));
}

TEST_F(ReportTest, Refusals) {
  expect_refusal(run("report --db a.db --out x.html"), 2, {"nothing is chosen"});
  expect_refusal(run("report --all matmul m=64 n=64 k=64 --db a.db --out x.html"), 2, {"not several"});
  expect_refusal(run("report matmul m=65 n=64 k=64 --db a.db --out x.html"), 3,
                 {"nothing is recorded for matmul m=65"});
  expect_refusal(run("report --all --db none.db --out x.html"), 5, {"does not exist"});
  expect_refusal(run("report --all --db a.db --out /no/such/folder/x.html"), 2, {"cannot be written"});
  expect_refusal(run("report --all --db a.db"), 2, {"--out"});
  expect_refusal(run("report --all --db a.db --compare a.db --format csv --out -"), 2, {"--compare"});
  expect_refusal(run("report --all --dim batch=1 --db a.db --out x.html"), 2, {"--dim"});
  expect_refusal(run("report --all --db a.db --compare none.db --out x.html"), 5, {"none.db"});
  expect_refusal(run("report matmul m=64 --db a.db --out x.html"), 2, {"of matmul is missing"});
  expect_refusal(run("report none.onnx --db a.db --out x.html"), 2, {"none.onnx"});
}

}  // namespace
}  // namespace nestwright
