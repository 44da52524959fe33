// The builder with faulty workers. The fake worker obeys names that it finds in the serialised program, here those of
// the program itself.
#include "measure/build/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "support/base/sanitizer.h"
#include "tests/measure/use_worker.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

ir::Program named(const std::string& name) {
  ir::Program program;
  program.name = name;
  return program;
}

class FaultyBuilder : public ::testing::Test {
 protected:
  void SetUp() override { use_worker(FAKE_WORKER); }
  void TearDown() override { unsetenv("FAKE_WORKER_START"); }

  std::vector<BuildResult> build(const std::vector<const char*>& names, const BuilderOptions& options) {
    std::vector<ir::Program> programs;
    for (const char* name : names) programs.push_back(named(name));
    return make_local_builder(Target::parse("cpu"), options)->build(programs, Pipeline::kSearch);
  }
};

TEST_F(FaultyBuilder, ResultsComeInTheOrderOfTheRequests) {
  std::vector<const char*> names;
  for (const char* name : {"a0", "b1", "c2", "d3", "e4", "f5", "g6"}) names.push_back(name);
  const auto results = build(names, {.processes = 3});
  ASSERT_EQ(results.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kOk);
    EXPECT_THAT(results[i].object.object, HasSubstr(names[i]));
  }
}

TEST_F(FaultyBuilder, ACrashCostsOneCandidate) {
  const auto results = build({"fine", "abort", "fine", "segv", "fine", "exit"}, {.processes = 2});
  for (std::size_t i : {0, 2, 4}) EXPECT_EQ(results[i].outcome, Outcome::kOk) << results[i].message;
  for (std::size_t i : {1, 3, 5}) EXPECT_EQ(results[i].outcome, Outcome::kCompileError);
  EXPECT_EQ(results[1].message, "builder crashed (SIGABRT: LLVM ERROR: ran out of registers)");
  EXPECT_EQ(results[3].message, "builder crashed (SIGSEGV)");
  EXPECT_EQ(results[5].message, "builder gave up (exit code 9)");
}

TEST_F(FaultyBuilder, AHangIsEndedInTime) {
  const std::int64_t start = steady_clock().now_ns();
  const auto results = build({"hang", "fine", "fine"}, {.processes = 1, .timeout_s = 0.2});
  EXPECT_LT(steady_clock().now_ns() - start, 5'000'000'000);
  EXPECT_EQ(results[0].outcome, Outcome::kCompileError);
  EXPECT_EQ(results[0].message, "builder timed out after 0.2 s");
  EXPECT_EQ(results[1].outcome, Outcome::kOk);
  EXPECT_EQ(results[2].outcome, Outcome::kOk);
}

TEST_F(FaultyBuilder, SwellingIsStoppedByTheLimit) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers need address space without limit";
  const auto results = build({"swell", "fine"}, {.processes = 1, .memory_bytes = std::int64_t{600} << 20});
  EXPECT_EQ(results[0].outcome, Outcome::kCompileError);
  EXPECT_EQ(results[0].message, "builder gave up (exit code 1: out of memory)");
  EXPECT_EQ(results[1].outcome, Outcome::kOk);
}

TEST_F(FaultyBuilder, AWorkerThatCannotStartIsAnError) {
  setenv("FAKE_WORKER_START", "abort", 1);
  try {
    make_local_builder(Target::parse("cpu"), {.processes = 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did not start (SIGABRT: LLVM ERROR: ran out of registers)"));
  }
  setenv("FAKE_WORKER_START", "old", 1);
  EXPECT_THROW(make_local_builder(Target::parse("cpu"), {.processes = 1}), UsageError);
  use_worker("/no/such/worker");
  try {
    make_local_builder(Target::parse("cpu"), {.processes = 1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "there is no executable /no/such/worker; install nestwright-worker there, or set NESTWRIGHT_WORKER to "
                 "where it is");
  }
}

TEST_F(FaultyBuilder, NeedsAProcess) {
  EXPECT_THROW(make_local_builder(Target::parse("cpu"), {.processes = 0}), UsageError);
}

}  // namespace
}  // namespace nestwright
