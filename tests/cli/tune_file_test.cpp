// tune --file: many tasks on one budget, end to end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TuneFileTest : public ::testing::Test {
 protected:
  CommandOutput run(const std::string& content, const std::string& budget) {
    std::ofstream(folder_.file("shapes.json")) << content;
    return run_nestwright(words("tune --file shapes.json --threads 1 " + budget), {.folder = folder_.path()});
  }
  std::vector<TrialRecord> recorded() const {
    return TuningLog::open(folder_.file("nestwright.db"), OpenMode::kRead).trials({});
  }

  const TemporaryFolder folder_;
};

constexpr const char* kTwo = R"({"summary": "two products", "entries": [
  {"label": "small one", "workload": "matmul m=32 n=32 k=32", "weight": 2},
  "matmul m=24 n=40 k=16",
  {"label": "the same", "workload": "matmul k=32 n=32 m=32"}]})";

TEST_F(TuneFileTest, ATableWithARowForEachTask) {
  const CommandOutput ran = run(kTwo, "--trials 48");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(
      ran.err,
      HasSubstr("shapes.json, line 4, entry 3 (the same) is the workload of entry 1: it is tuned once, with the "
                "weight of both\n"));
  EXPECT_THAT(ran.err, HasSubstr("tuning 2 tasks of shapes.json on cpu,isa="));
  EXPECT_THAT(ran.out,
              StartsWith("task                   trials  seconds       best           speed  default  ended\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nsmall one "));
  EXPECT_THAT(ran.out, HasSubstr("\nmatmul m=24 n=40 k=16 "));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 3);
  EXPECT_THAT(ran.out, HasSubstr("x  the shared budget is over\n"));
  EXPECT_EQ(recorded().size(), 48u);
}

TEST_F(TuneFileTest, TheJsonDocumentIsComplete) {
  const CommandOutput ran = run(kTwo, "--trials 48 --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["file"], "shapes.json");
  EXPECT_EQ(report["trials"], 48);
  EXPECT_EQ(report["interrupted"], false);
  ASSERT_EQ(report["tasks"].size(), 2u);
  double whole_ns = 0;
  for (const json& task : report["tasks"])
    whole_ns += task["weight"].get<double>() * task["time_ns"]["median"].get<double>();
  EXPECT_DOUBLE_EQ(report["whole_ns"], whole_ns);
  EXPECT_GE(report["tuned_share"], 0);
  EXPECT_LE(report["tuned_share"], 1);
  EXPECT_THAT(ran.err, ::testing::ContainsRegex("\nwhole (about )?[0-9.]+ .s, [0-9]+% tuned; [0-9]+ of 48 trials, "));
  const json& first = report["tasks"][0];
  EXPECT_EQ(first["label"], "small one");
  EXPECT_EQ(first["weight"], 3.0) << "2, plus 1 of the merged entry";
  EXPECT_EQ(first["workload"], "matmul m=32 n=32 k=32");
  EXPECT_EQ(first["verified"], true);
  EXPECT_EQ(first["from_race"], true);
  EXPECT_EQ(first["stopped"], "the shared budget is over");
  EXPECT_GT(first["ratio_to_default"], 0);
  EXPECT_EQ(first["trials_this_run"].get<int>() + report["tasks"][1]["trials_this_run"].get<int>(), 48);
  EXPECT_GE(report["tasks"][1]["trials_this_run"], 10) << "each gets its seeds";
}

TEST_F(TuneFileTest, AKilledRunResumes) {
  std::ofstream(folder_.file("shapes.json")) << kTwo;
  const auto tune = [](const std::string& budget) {
    return words("tune --file shapes.json --threads 1 --json " + budget);
  };
  {
    Command command(tune("--seconds 100"), {.folder = folder_.path()});
    ASSERT_TRUE(command.wait_for_error_text(" trials, "));
    command.signal(SIGKILL);
    EXPECT_EQ(command.wait().signal, SIGKILL);
    EXPECT_TRUE(command.wait_until_all_exit()) << "workers end with their parent";
  }
  const std::size_t before = recorded().size();
  ASSERT_GT(before, 0u);
  const CommandOutput ran = run_nestwright(tune("--trials 40"), {.folder = folder_.path()});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(recorded().size(), before + 40);
  std::set<std::string> measured;
  for (const TrialRecord& trial : recorded()) {
    EXPECT_TRUE(measured.insert(trial.workload + trial.point.config.str()).second) << "measured twice";
  }
  const json tasks = json::parse(ran.out)["tasks"];
  EXPECT_EQ(tasks[0]["trials_earlier"].get<std::size_t>() + tasks[1]["trials_earlier"].get<std::size_t>(), before);
}

TEST_F(TuneFileTest, AnInterruptedRunPrintsTheTable) {
  std::ofstream(folder_.file("shapes.json")) << kTwo;
  Command command(words("tune --file shapes.json --threads 1 --seconds 100"), {.folder = folder_.path()});
  ASSERT_TRUE(command.wait_for_error_text(" trials, "));
  command.signal_group(SIGINT);
  const CommandOutput ran = command.wait();
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_TRUE(command.wait_until_all_exit());
  EXPECT_THAT(ran.out, AllOf(StartsWith("task "), HasSubstr("\nsmall one "), HasSubstr("interrupted")));
}

TEST_F(TuneFileTest, BadEntriesAreRefusedBeforeAnythingRuns) {
  const auto refused = [&](const std::string& content, const std::vector<std::string>& parts) {
    expect_refusal(run(content, "--trials 10"), 2, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db"))) << content;
  };
  refused("[1", {"shapes.json: is no JSON at line 1, column 3"});
  refused(R"(["matmul m=8 n=8 k=8", {"label": "x", "workload": "matmul m=0 n=8 k=8"}])",
          {"shapes.json, line 1, entry 2 (x): m=0 of matmul is illegal"});
  refused(
      "[\n\"matmul m=8 n=8 k=8\",\n\n\"matmull m=8 n=8 k=8\"]",
      {"shapes.json, line 4, entry 2 (matmull m=8 n=8 k=8): there is no operator 'matmull'; did you mean 'matmul'"});
  refused(R"([{"label": "huge", "workload": "matmul m=2000000 n=2000000 k=2"}])",
          {"shapes.json, line 1, entry 1 (huge): tuning matmul m=2000000", "choose smaller sizes"});
  refused(R"([{"workload": "matmul m=8 n=8 k=8", "weight": 0}])",
          {"shapes.json, line 1, entry 1 (matmul m=8 n=8 k=8): \"weight\""});
}

TEST_F(TuneFileTest, AWorkloadAndAFileExcludeEachOther) {
  expect_refusal(run_nestwright(words("tune --trials 1"), {.folder = folder_.path()}), 2, {"no workload is given"});
  expect_refusal(run_nestwright(words("tune matmul m=8 n=8 k=8 --file x.json"), {.folder = folder_.path()}), 2,
                 {"a workload and --file are given"});
  expect_refusal(run_nestwright(words("tune --file x.json"), {.folder = folder_.path()}), 2,
                 {"file 'x.json' cannot be read"});
  expect_refusal(run_nestwright(words("tune --file ."), {.folder = folder_.path()}), 2, {"file '.' cannot be read"});
  expect_refusal(run_nestwright(words("tune --file /dev/zero"), {.folder = folder_.path()}), 2,
                 {"file '/dev/zero' has more than 10 MB", "give a JSON file of workloads"});
}

}  // namespace
}  // namespace nestwright
