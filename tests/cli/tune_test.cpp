// tune from end to end: its output, its JSON document, and the answers of query afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nestwright/target.h"
#include "search/task/timing_lock.h"
#include "support/base/sanitizer.h"
#include "support/os/machine_lock.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class TuneTest : public ::testing::Test {
 protected:
  CommandOutput run(const std::string& text, CommandOptions options = {}) {
    options.folder = folder_.path();
    return run_nestwright(words(text), options);
  }

  const TemporaryFolder folder_;
};

TEST_F(TuneTest, TuneQueryExactQueryNearestExport) {
  const CommandOutput tuned = run("tune matmul m=32 n=32 k=32 --threads 1 --trials 8 --template matmul.cpu --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json report = json::parse(tuned.out);
  EXPECT_EQ(report["workload"], "matmul m=32 n=32 k=32");
  EXPECT_EQ(report["template"], "matmul.cpu");
  EXPECT_EQ(report["match"], "exact");
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["trials"], 8);
  EXPECT_EQ(report["outcomes"]["ok"], 8);
  EXPECT_GT(report["config"].size(), 5u);
  EXPECT_LE(report["time_ns"]["low"], report["time_ns"]["median"]);
  EXPECT_LE(report["time_ns"]["median"], report["time_ns"]["high"]);
  EXPECT_NEAR(report["gflops"].get<double>() * report["time_ns"]["median"].get<double>(), 2.0 * 32 * 32 * 32, 1);
  EXPECT_GT(report["seconds"], 0);
  EXPECT_NEAR(report["trials_per_second"].get<double>(), 8 / report["seconds"].get<double>(), 1e-6);
  EXPECT_GT(report["share_of_peak"], 0);
  EXPECT_THAT(tuned.err, AllOf(StartsWith("tuning matmul m=32"), HasSubstr("stopped: 8 trials done")));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("nestwright.db"))) << "the default file in the current folder";

  const CommandOutput exact = run("query matmul m=32 n=32 k=32 --threads 1 --exact --json");
  ASSERT_EQ(exact.code, 0) << exact.err;
  const json asked = json::parse(exact.out);
  for (const char* field :
       {"workload", "target", "template", "match", "config", "time_ns", "gflops", "verified", "trials"}) {
    EXPECT_EQ(asked[field], report[field]) << field;
  }
  EXPECT_THAT(exact.err, IsEmpty());

  const CommandOutput nearest = run("query matmul m=64 n=32 k=64 --threads 1 --json");
  ASSERT_EQ(nearest.code, 0) << nearest.err;
  const json other = json::parse(nearest.out);
  EXPECT_EQ(other["workload"], "matmul m=64 n=32 k=64");
  EXPECT_THAT(other["match"].get<std::string>(), ::testing::AnyOf("nearest", "default"))
      << "default if it is not valid";

  const CommandOutput exported = run("export matmul m=32 n=32 k=32 --threads 1 --out kernel --name mm --json");
  ASSERT_EQ(exported.code, 0) << exported.err;
  const json written = json::parse(exported.out);
  EXPECT_EQ(written["function"], "mm");
  EXPECT_EQ(written["match"], "exact");
  ASSERT_FALSE(written["files"].empty());
  for (const json& file : written["files"]) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/kernel/" + file.get<std::string>())) << file;
  }
}

TEST_F(TuneTest, PrintsTheResultAsText) {
  const CommandOutput ran = run("tune matmul m=32 n=32 k=32 --threads 1 --trials 6 --template matmul.cpu",
                                {.environment = {"NESTWRIGHT_DB=mine.db"}});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("workload  matmul m=32 n=32 k=32"));
  for (const char* part :
       {"\nmatch     exact", "\ntarget    cpu,isa=", "\nmachine   ", "\ntemplate  matmul.cpu version ", "\nconfig    ",
        "\ntime      ", " GFLOP/s [", "verified against the reference", "\npeak      "}) {
    EXPECT_THAT(ran.out, HasSubstr(part));
  }
  EXPECT_THAT(ran.err, HasSubstr(" of 6 trials, "));
  EXPECT_THAT(ran.err, Not(HasSubstr("\r"))) << "plain lines without a terminal";
  EXPECT_TRUE(std::filesystem::exists(folder_.file("mine.db"))) << "NESTWRIGHT_DB";
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db")));
}

TEST_F(TuneTest, SmallerInstructionSetsRunHere) {
  for (const std::string isa : {"avx2", "x86-64"}) {
    if (Target::parse("cpu,isa=" + isa).isa > Target::host().isa) continue;
    const CommandOutput ran = run("tune matmul m=32 n=32 k=32 --trials 4 --json --target cpu,isa=" + isa);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json report = json::parse(ran.out);
    EXPECT_THAT(report["target"].get<std::string>(), HasSubstr("isa=" + isa + ","));
    EXPECT_EQ(report["outcomes"], (json{{"ok", 4}}));
  }
}

TEST_F(TuneTest, SearchesTheGivenTemplateOnly) {
  const CommandOutput one = run("tune matmul m=32 n=32 k=512 --trials 6 --json --template matmul.split_k");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(json::parse(one.out)["template"], "matmul.split_k");
  const CommandOutput unknown = run("tune matmul m=32 n=32 k=32 --trials 6 --template matmul.fpga");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("there is no template 'matmul.fpga' of matmul for the CPU: use one of matmul.amx, "));
}

TEST_F(TuneTest, EndsAfterItsSeconds) {
  const auto start = std::chrono::steady_clock::now();
  const CommandOutput ran = run("tune matmul m=32 n=32 k=32 --threads 1 --seconds 3");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("stopped: 3 seconds are over"));
  EXPECT_GT(seconds, 2);
  EXPECT_LT(seconds, 8) << "a generous bound, for a loaded machine";
}

TEST_F(TuneTest, TheEffortLimitsTheTime) {
  const CommandOutput ran = run("tune matmul m=32 n=32 k=32 --threads 1 --effort quick --until-gain 0%");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("stopped: 10 seconds are over"));
}

TEST_F(TuneTest, TrialsAndSecondsOverrideTheEffort) {
  const CommandOutput ran = run("tune matmul m=32 n=32 k=32 --threads 1 --effort full --trials 4");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("stopped: 4 trials done"));
}

TEST_F(TuneTest, RefusesAnInvalidEffortOrGain) {
  expect_refusal(run("tune matmul m=32 n=32 k=32 --trials 4 --effort heroic"), 2, {"--effort", "heroic", "quick"});
  expect_refusal(run("tune matmul m=32 n=32 k=32 --trials 4 --until-gain 1"), 2,
                 {"--until-gain: give a percentage such as 1%, or a number below 1 such as 0.01, not '1'"});
}

TEST_F(TuneTest, EndsWhenASmallSpaceIsExhausted) {
  const CommandOutput ran = run("tune matmul m=1 n=1 k=1 --threads 1 --seconds 20 --early-stop 12 --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(json::parse(ran.out)["stopped"].get<std::string>(),
              ::testing::AnyOf(HasSubstr("every valid configuration"), HasSubstr("nothing better in 12 trials")));
}

/// A worker whose builders have too little memory to compile any candidate.
std::string starved_worker() {
  const std::string path = ::testing::TempDir() + "nestwright-starved-worker-" + std::to_string(getpid());
  std::ofstream(path) << "#!/bin/sh\n"
                      << "[ \"$1\" = builder ] && echo a line before the last >&2\n"
                      << "[ \"$1\" = builder ] && exec " NESTWRIGHT_BINARY_DIR "/nestwright-worker builder 120000000\n"
                      << "exec " NESTWRIGHT_BINARY_DIR "/nestwright-worker \"$@\"\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(TuneTest, ExitsWithFourWithoutAValidCandidate) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers need address space without limit";
  const std::string worker = starved_worker();
  const CommandOutput ran =
      run("tune matmul m=32 n=32 k=32 --threads 1 --trials 4", {.environment = {"NESTWRIGHT_WORKER=" + worker}});
  const CommandOutput alone = run("measure matmul m=32 n=32 k=32 --threads 1 --config register_rows=2",
                                  {.environment = {"NESTWRIGHT_WORKER=" + worker}});
  std::filesystem::remove(worker);
  if (ran.code == 1 && ran.err.find("did not start") != std::string::npos)
    GTEST_SKIP() << "a builder needs more memory to start on this machine: " << ran.err;
  expect_failure(ran, 4,
                 {"no valid candidate was found for matmul m=32", "of 4 trials: compile_error: builder",
                  "to repeat one: nestwright measure matmul m=32 n=32 k=32 --threads 1 --template ", " --config '",
                  "see nestwright explain matmul m=32"});
  EXPECT_THAT(ran.err, Not(HasSubstr("a line before the last")));
  expect_failure(alone, 4, {"failed (compile_error: builder"});
  EXPECT_THAT(alone.err, HasSubstr("the worker wrote:\na line before the last\n"));
}

TEST_F(TuneTest, AnswersWithAMarkedDefaultWhereAnotherTunerHasTheMachine) {
  const TemporaryFolder locks;
  setenv("NESTWRIGHT_LOCK_DIR", locks.path().c_str(), 1);
  MachineLock other(timing_lock_name(Target::host()));
  unsetenv("NESTWRIGHT_LOCK_DIR");
  const MachineLock::Hold turn = other.hold([] { return true; });
  ASSERT_TRUE(turn.is_granted());
  const std::string command = "tune matmul m=32 n=32 k=32 --threads 1 --seconds 1";
  const CommandOptions beside = {.environment = {"NESTWRIGHT_LOCK_DIR=" + locks.path()}};
  const CommandOutput ran = run(command, beside);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("1 trials in"));
  EXPECT_THAT(ran.out, HasSubstr("timed on a disturbed machine (another tuner had the machine)"));
  EXPECT_EQ(run(command + " --require raced", beside).code, 4);
}

TEST_F(TuneTest, SaysThatThereIsNoLock) {
  const CommandOutput ran = run("tune matmul m=8 n=8 k=8 --threads 1 --trials 1 --finalists 0",
                                {.environment = {"NESTWRIGHT_LOCK_DIR=/no/such/folder"}});
  EXPECT_THAT(ran.err, HasSubstr("nestwright: no lock file for taking turns with other tuners of this machine can be "
                                 "opened in /no/such/folder (No such file or directory): set NESTWRIGHT_LOCK_DIR"));
}

TEST_F(TuneTest, AMissingWorkerIsReported) {
  const CommandOutput ran =
      run("tune matmul m=32 n=32 k=32 --trials 2", {.environment = {"NESTWRIGHT_WORKER=/nowhere/worker"}});
  expect_failure(ran, 1, {"no executable /nowhere/worker", "set NESTWRIGHT_WORKER"});
}

}  // namespace
}  // namespace nestwright
