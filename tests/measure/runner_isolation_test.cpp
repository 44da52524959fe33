// The runner with kernels that misbehave: each affects only its own result, which names the cause, and nothing outside
// the worker is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/backend.h"
#include "measure/process/confinement.h"
#include "measure/run/runner.h"
#include "support/base/clock.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

bool is_protected(const std::string& what) {
  const std::vector<Protection> all = protections();
  return std::any_of(all.begin(), all.end(), [&](const Protection& p) { return p.of == what && p.by != "nothing"; });
}

/// Runs the misdeed between two correct kernels and returns its result.
Measurement result_of(Runner& runner, const std::string& misdeed) {
  const CompiledObject good = planted(PLANTED_MISDEEDS, "behaves"), bad = planted(PLANTED_MISDEEDS, misdeed);
  const RunResult result = runner.run({{&good}, {&bad}, {&good}}, std::nullopt);
  EXPECT_EQ(result.measurements[0].outcome, Outcome::kOk) << result.measurements[0].message;
  EXPECT_EQ(result.measurements[2].outcome, Outcome::kOk) << result.measurements[2].message;
  return result.measurements[1];
}
Measurement result_of(const std::string& misdeed) {
  const auto runner = planted_runner();
  return result_of(*runner, misdeed);
}

struct Misdeed {
  const char* kernel;
  const char* message;
};

class Ends : public ::testing::TestWithParam<Misdeed> {};
TEST_P(Ends, CostsItselfOnly) {
  const Measurement result = result_of(GetParam().kernel);
  EXPECT_EQ(result.outcome, Outcome::kCrash);
  EXPECT_EQ(result.message, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    All, Ends,
    ::testing::Values(Misdeed{"aborts", "SIGABRT while being checked"},
                      Misdeed{"exits_3", "exit code 3 while being checked"},
                      Misdeed{"exits_0", "exit code 0 while being checked"},
                      Misdeed{"closes_its_channel", "exit code 1: its channel was closed while being checked"},
                      Misdeed{"writes_garbage", "it wrote what is no message into its channel while being checked"},
                      Misdeed{"writes_a_short_message",
                              "it wrote what is no message into its channel while being checked"}),
    [](const auto& each) { return each.param.kernel; });

class Refused : public ::testing::TestWithParam<Misdeed> {};
TEST_P(Refused, IsEndedByTheSystemCall) {
  if (!is_protected("processes")) GTEST_SKIP() << "no seccomp here";
  const Measurement result = result_of(GetParam().kernel);
  EXPECT_EQ(result.outcome, Outcome::kCrash);
  EXPECT_EQ(result.message, std::string("SIGSYS while being checked: it called ") + GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(All, Refused,
                         ::testing::Values(Misdeed{"forks", "fork"}, Misdeed{"starts_a_program", "execve"},
                                           Misdeed{"makes_a_socket", "socket"}, Misdeed{"takes_the_terminal", "open"},
                                           Misdeed{"reads_a_file", "open"}, Misdeed{"removes_a_file", "unlink"}),
                         [](const auto& each) { return each.param.kernel; });

TEST(RunnerIsolation, AnotherProcessCannotBeSignalled) {
  if (!is_protected("signals")) GTEST_SKIP() << "no Landlock of version 6 here";
  const Measurement result = result_of("signals_its_parent");
  EXPECT_EQ(result.outcome, Outcome::kLaunchError);
  EXPECT_EQ(result.message, "the kernel gave 13 back instead of 0");
}

TEST(RunnerIsolation, MemoryIsBoundedByWhatIsResident) {
  RunnerOptions options = planted_options();
  options.memory_bytes = 100 << 20;
  const auto runner = planted_runner(options);
  const Measurement result = result_of(*runner, "allocates_without_end");
  EXPECT_EQ(result.outcome, Outcome::kCrash);
  EXPECT_THAT(result.message, MatchesRegex("ended for more than 1[0-9][0-9] MiB of memory while being checked"));
}

// The target is 50 ms on an idle machine.
TEST(RunnerIsolation, ANewWorkerIsThereSoon) {
  const auto runner = planted_runner();
  const CompiledObject good = planted(PLANTED_MISDEEDS, "behaves"),
                       bad = planted(PLANTED_MISDEEDS, "closes_its_channel");
  runner->check({{&good}});
  std::int64_t least = INT64_MAX;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::int64_t start = steady_clock().now_ns();
    const std::vector<Measurement> results = runner->check({{&bad}, {&good}});
    least = std::min(least, steady_clock().now_ns() - start);
    EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  }
  EXPECT_LT(least, 500'000'000);
  RecordProperty("milliseconds", static_cast<int>(least / 1'000'000));
}

TEST(Protections, NameEachThingOnce) {
  std::vector<std::string> names;
  for (const Protection& each : protections()) {
    names.push_back(each.of);
    EXPECT_FALSE(each.by.empty()) << each.of;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("files", "network", "processes", "signals", "memory", "time"));
}

}  // namespace
}  // namespace nestwright
