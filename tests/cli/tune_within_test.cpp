// tune --fix and --only: the search stays within, says so, and claims no more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/registry.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class TuneWithinTest : public CommandTest {
 protected:
  /// Whether the search ran to its end. Where the machine was disturbed all the time, it has no result (4).
  static bool is_done(const CommandOutput& ran) {
    const bool is_disturbed = ran.err.find("as the machine was disturbed all the time") != std::string::npos;
    return ran.code == 0 || (ran.code == 4 && is_disturbed);
  }
  static Target one_thread() {
    Target target = Target::host();
    target.threads = 1;
    return target;
  }
  CommandOutput tune(const std::vector<std::string>& more) {
    return run_nestwright(words("tune matmul m=32 n=32 k=32 --threads 1 --strategy random") + more,
                          {.folder = folder_.path()});
  }
};

TEST_F(TuneWithinTest, StaysWithinAndRecordsIt) {
  const CommandOutput ran =
      tune({"--fix", "unroll_k=2", "--fix", "pack_b=no", "--only", "register_rows <= 4", "--trials", "6", "--json"});
  ASSERT_TRUE(is_done(ran)) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("searching within --fix unroll_k=2 --fix pack_b=no --only \"register_rows <= "
                                       "4\": "),
                             HasSubstr(" valid points of matmul.cpu")));
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["within"], "--fix unroll_k=2 --fix pack_b=no --only \"register_rows <= 4\"");
  if (ran.code == 0) {
    EXPECT_EQ(report["config"]["unroll_k"], 2);
  }
  const TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kRead);
  for (const TrialRecord& trial : log.trials({})) {
    const Config& config = trial.point.config;
    EXPECT_EQ(config.find("unroll_k")->value, KnobValue{2}) << config.str();
    EXPECT_EQ(config.find("pack_b")->label, "no") << config.str();
    EXPECT_LE(config.find("register_rows")->value.front(), 4) << config.str();
  }
  sqlite::Database database(folder_.file("nestwright.db"), folder_.file("nestwright.db"), SQLITE_OPEN_READONLY, 1000);
  sqlite::Statement select = database.prepare("SELECT options FROM session");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.text(0), R"({"fix":{"unroll_k":2,"pack_b":"no"},"only":["register_rows <= 4"]})");
}

TEST_F(TuneWithinTest, AnExhaustedPartIsNotTheWholeSpace) {
  std::vector<std::string> all;
  // All knobs but one are fixed at the default's values.
  const Lookup fallback = look_up(Task{parse_workload("matmul m=32 n=32 k=32"), one_thread()}, nullptr);
  for (const std::string& entry : words(fallback.config.str())) {
    if (entry.rfind("unroll_k=", 0) == 0) continue;
    all.emplace_back("--fix");
    all.push_back(entry);
  }
  const CommandOutput ran = tune(all + std::vector<std::string>{"--trials", "100", "--json"});
  ASSERT_TRUE(is_done(ran)) << ran.err;
  EXPECT_THAT(
      json::parse(ran.out)["stopped"].get<std::string>(),
      AllOf(::testing::StartsWith("every valid configuration within --fix "), ::testing::EndsWith(" was measured")));
}

// What an earlier session measured is not the answer of this one, in whose unit it was not timed.
TEST_F(TuneWithinTest, WithoutARaceTheAnswerIsOneOfItsOwnTrials) {
  ASSERT_TRUE(is_done(tune({"--fix", "unroll_k=2", "--trials", "6", "--finalists", "0"})));
  const CommandOutput ran = tune({"--fix", "unroll_k=2", "--seed", "7", "--trials", "4", "--finalists", "0", "--json"});
  ASSERT_TRUE(is_done(ran)) << ran.err;
  if (ran.code != 0) GTEST_SKIP() << "the machine was disturbed";
  const TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kRead);
  const std::vector<TrialRecord> trials = log.trials({});
  const auto is_sound = [](const TrialRecord& trial) {
    const Timing& timing = trial.measurement.timing;
    return trial.measurement.outcome == Outcome::kOk && !timing.ended_early && !timing.is_disturbed();
  };
  std::set<TrialId> own;  // the trials that can be the best; perhaps none, where all were given up as slow
  for (const TrialRecord& trial : trials) {
    if (trial.session == trials.back().session && is_sound(trial)) own.insert(trial.id);
  }
  const json report = json::parse(ran.out);
  EXPECT_EQ(own.contains(report["trial"].get<TrialId>()), !own.empty()) << ran.out;
}

TEST_F(TuneWithinTest, RefusesWhatIsNoPartOfTheSpace) {
  expect_refusal(tune({"--fix", "unroll_j=2"}), 2, {"there is no knob 'unroll_j'; did you mean 'unroll_k'"});
  expect_refusal(tune({"--fix", "unroll_k=3333"}), 2, {"unroll_k=3333 is not a candidate of the knob 'unroll_k'"});
  expect_refusal(tune({"--fix", "unroll_k"}), 2, {"configuration part 'unroll_k' is malformed"});
  expect_refusal(tune({"--fix", "unroll_k=1", "--fix", "unroll_k=2"}), 2, {"knob 'unroll_k' is given twice"});
  expect_refusal(tune({"--only", "unroll_k <"}), 2, {"condition 'unroll_k <', character 11 (its end): expected"});
  expect_refusal(tune({"--only", "unroll_j < 2"}), 2, {"character 1: there is no knob 'unroll_j'"});
  expect_refusal(tune({"--only", "unroll_k < 1"}), 2,
                 {"no valid configuration of matmul m=32 n=32 k=32 is left within --only"});
  for (const std::vector<std::string>& fixed :
       {std::vector<std::string>{"--fix", ""}, {"--fix", " \t"}, {"--fix", "unroll_k=1", "--fix", ""}}) {
    const CommandOutput ran = tune(fixed);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err,
              "nestwright: --fix is empty: give a knob and its value, as in unroll_k=4, or leave the option out\n");
  }
  expect_refusal(run("tune --file shapes.json --fix unroll_k=1"), 2, {"--fix or --only and --file are given"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db")));
}

}  // namespace
}  // namespace nestwright
