// The runner with kernels that are right, or wrong without crashing.
#include "measure/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/backend.h"
#include "nestwright/error.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Runner, ARightKernelIsVerifiedAndTimed) {
  const auto runner = planted_runner();
  const Measurement m = run_planted(*runner, {"right"}).measurements[0];
  EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
  EXPECT_EQ(m.message, "");
  EXPECT_TRUE(m.evidence.verified);
  EXPECT_EQ(m.evidence.largest_error, 0);
  const std::size_t samples = m.timing.samples_ns.size();
  EXPECT_GE(samples, 2u);
  EXPECT_THAT(m.timing.raw_ns, SizeIs(samples));
  EXPECT_THAT(m.timing.fma_ns, SizeIs(samples));
  EXPECT_THAT(m.timing.walk_ns, SizeIs(samples));
  EXPECT_EQ(m.timing.samples_ns, m.timing.raw_ns) << "it is its own reference";
  EXPECT_FALSE(m.timing.ended_early);
  EXPECT_GT(m.timing.median_ns, 50) << "a thousand loads and stores";
  EXPECT_LT(m.timing.median_ns, 50e3);
  EXPECT_LE(m.timing.low_ns, m.timing.median_ns);
  EXPECT_GE(m.timing.high_ns, m.timing.median_ns);
  EXPECT_GT(m.check_ms, 0);
  EXPECT_GT(m.measure_ms, 0.5);
}

TEST(Runner, WrongResultsSayWhere) {
  const auto runner = planted_runner();
  const auto results =
      run_planted(*runner, {"wrong_at_7", "forgets_the_last", "not_a_number", "reads_stale_workspace", "right"})
          .measurements;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kWrongResult);
    EXPECT_FALSE(results[i].evidence.verified);
    EXPECT_TRUE(results[i].timing.samples_ns.empty()) << "what is wrong is not timed";
  }
  EXPECT_EQ(results[0].message, "parameter 2 element 7: expected 7.5, got 8.5, allowed error 0.001");
  EXPECT_EQ(results[0].evidence.largest_error, 1);
  EXPECT_EQ(results[0].evidence.largest_error_ratio, 1000);
  EXPECT_THAT(results[1].message, HasSubstr("parameter 2 element 999: expected 999.5, got -nan"));
  EXPECT_THAT(results[2].message, HasSubstr("parameter 2 element 3: expected 3.5, got "));
  EXPECT_EQ(results[3].outcome, Outcome::kWrongResult) << "the workspace is poisoned before what is checked, only";
  EXPECT_EQ(results[3].message, "in a later call, parameter 2 element 0: expected 0.5, got 0, allowed error 0.001");
  EXPECT_EQ(results[4].outcome, Outcome::kOk);
}

// The first run, whose buffers end at the guard, detects the damage to the canary before the second one could fault.
TEST(Runner, WritesJustOutsideAreSeen) {
  const auto runner = planted_runner();
  const auto results =
      run_planted(*runner, {"writes_just_past_end", "writes_before_start", "writes_before_workspace", "right"})
          .measurements;
  EXPECT_EQ(results[0].outcome, Outcome::kCrash);
  EXPECT_EQ(results[0].message, "SIGSEGV while being checked: past the end of parameter 2");
  for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(results[i].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[1].message, "it wrote outside parameter 2");
  EXPECT_EQ(results[2].message, "it wrote outside its workspace");
  EXPECT_EQ(results[3].outcome, Outcome::kOk);
}

TEST(Runner, AResultThatChangesWhileItIsTimedIsWrong) {
  const auto runner = planted_runner();
  const CompiledObject late = planted("wrong_after_a_while"), right = planted("right");
  auto results = run_planted(*runner, {"wrong_after_a_while", "right"}).measurements;
  const std::string message = "in a later call, parameter 2 element 7: expected 7.5, got 8.5, allowed error 0.001";
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[0].message, message);
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  results = runner->race({{&late}, {&right}});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult) << "in a process that has checked nothing";
  EXPECT_EQ(results[0].message, message);
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
}

TEST(Runner, WhatIsWrongOnceInAWhileIsSeenByItsChecksum) {
  RunnerOptions options = planted_options();
  options.timing.sample_ns = 2e6;  // thousands of calls
  const auto runner = planted_runner(options);
  const CompiledObject racing = planted("loses_one_now_and_then");
  // Only the last call of a sample is compared, so only some of these detect it.
  std::string message;
  for (int attempt = 0; attempt < 20 && message.empty(); ++attempt) message = runner->race({{&racing}})[0].message;
  EXPECT_THAT(message, HasSubstr("in a later call, parameter 2 element 7: expected 7.5, got 0"));
}

TEST(Runner, WhatWasNeverWrittenIsNoNumber) {
  const auto runner = planted_runner();
  const Measurement result = run_planted(*runner, {"adds_what_was_there"}).measurements[0];
  EXPECT_EQ(result.outcome, Outcome::kWrongResult);
  EXPECT_THAT(result.message, HasSubstr("parameter 2 element 3: expected 3.5, got "));
  EXPECT_THAT(result.message, HasSubstr("nan"));
}

TEST(Runner, AFinalistMayNotDependOnThePreviousCall) {
  const auto runner = planted_runner();
  const CompiledObject once = planted("computes_once"), right = planted("right");
  const auto results = runner->check({{&once}, {&right}});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_THAT(results[0].message, ::testing::HasSubstr("in a second call, parameter 2 element 0: expected 0.5, got "));
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
}

TEST(Runner, OfWholeNumbersNoErrorIsAllowed) {
  CheckData data = addition();
  data.integer_inputs = {std::vector<double>(1000, 2), std::vector<double>(1000, 3)};
  data.integer_expected = {std::vector<double>(1000, 5)};
  use_worker(WORKER);
  for (const bool has_integers : {false, true}) {
    const auto runner = make_local_runner(has_integers ? data : addition(), planted_options());
    const auto results = run_planted(*runner, {"slightly_off", "right"}).measurements;
    EXPECT_EQ(results[0].outcome, has_integers ? Outcome::kWrongResult : Outcome::kOk) << results[0].message;
    if (has_integers) {
      EXPECT_EQ(results[0].message,
                "parameter 2 element 7: expected 5, got 5.00010014 from integers, where no error is allowed");
    }
    EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  }
}

TEST(Runner, FinalistsComputeFromLargeAndSmallMagnitudesToo) {
  use_worker(WORKER);
  const CompiledObject flushing = planted("flushes_small_results"), right = planted("right"),
                       once = planted("computes_once");
  const auto runner = make_local_runner(addition_of_three_sets(), planted_options());
  EXPECT_EQ(run_planted(*runner, {"flushes_small_results"}).measurements[0].outcome, Outcome::kOk)
      << "integers, and those in [-1, 1], do not show it";
  const auto results = runner->check({{&flushing}, {&right}, {&once}});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[0].message,
            "parameter 2 element 0: expected 8.94069672e-08, got 0, allowed error 5.96e-14, from inputs of large and "
            "small magnitudes");
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  EXPECT_TRUE(results[1].evidence.verified);
  EXPECT_EQ(results[2].outcome, Outcome::kWrongResult);
  EXPECT_THAT(results[2].message, HasSubstr("in a second call, parameter 2 element 0: expected 0.5, got "));
  // A candidate that was checked thoroughly is then timed on the usual inputs and compared with their results.
  EXPECT_EQ(runner->race({{&right}})[0].outcome, Outcome::kOk);
}

TEST(Runner, WhatCannotBeLinkedOrCalledIsALaunchError) {
  const auto runner = planted_runner();
  CompiledObject garbage = planted("right"), missing = planted("no_such_symbol"), odd = planted("returns_5"),
                 fine = planted("right");
  garbage.object = "this is no object file";
  const auto results = runner->run({{&garbage}, {&missing}, {&odd}, {&fine}}, std::nullopt).measurements;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kLaunchError);
    EXPECT_NE(results[i].message, "");
  }
  EXPECT_EQ(results[2].message, "the kernel gave 5 back instead of 0");
  EXPECT_EQ(results[3].outcome, Outcome::kOk);
}

TEST(Runner, ParallelKernelsGetThreadsAndTheirPartsOfTheWorkspace) {
  const auto runner = planted_runner(5, 2);
  const auto results = run_planted(*runner, {"in_parallel", "right"}).measurements;
  EXPECT_EQ(results[0].outcome, Outcome::kOk) << results[0].message;
  EXPECT_TRUE(results[0].evidence.verified);
}

TEST(Runner, ChecksWithoutTiming) {
  const auto runner = planted_runner();
  const CompiledObject right = planted("right"), wrong = planted("wrong_at_7");
  const auto results = runner->check({{&right}, {&wrong}, {&right}});
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_EQ(results[0].outcome, Outcome::kOk);
  EXPECT_TRUE(results[0].evidence.verified);
  EXPECT_TRUE(results[0].timing.samples_ns.empty());
  EXPECT_EQ(results[0].measure_ms, 0);
  EXPECT_EQ(results[1].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[2].outcome, Outcome::kOk);
}

TEST(Runner, AnswersInOrderAndCanBeUsedAgain) {
  const auto runner = planted_runner();
  for (int i = 0; i < 3; ++i) {
    const auto results = run_planted(*runner, {"wrong_at_7", "right", "wrong_at_7"}).measurements;
    EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
    EXPECT_EQ(results[1].outcome, Outcome::kOk);
    EXPECT_EQ(results[2].outcome, Outcome::kWrongResult);
  }
  EXPECT_TRUE(run_planted(*runner, {}).measurements.empty());
}

TEST(Runner, RefusesDataThatDoesNotFitTogether) {
  use_worker(WORKER);
  CheckData data = addition();
  data.bound[0].pop_back();
  try {
    make_local_runner(data, {});
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "data for checking, parameter 2: an output needs an expected value and a bound for each element");
  }
  data = addition();
  data.inputs.pop_back();
  EXPECT_THROW(make_local_runner(data, {}), UsageError);
  data = addition();
  data.roles.pop_back();
  EXPECT_THROW(make_local_runner(data, {}), UsageError);
  data = addition();
  data.integer_inputs = data.inputs;
  EXPECT_THROW(make_local_runner(data, {}), UsageError) << "integers of which nothing is expected";
  data = addition_of_three_sets();
  data.wide_bound.clear();
  EXPECT_THROW(make_local_runner(data, {}), UsageError) << "large and small magnitudes without bounds";
  data = addition_of_three_sets();
  data.wide_bound[0].pop_back();
  try {
    make_local_runner(data, {});
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "data for checking, parameter 2: an output needs an expected value and a bound for each element of "
                 "large and small magnitudes");
  }
  EXPECT_THROW(make_local_runner(addition(), {.threads = 0}), UsageError);
}

}  // namespace
}  // namespace nestwright
