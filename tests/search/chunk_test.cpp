// A candidate that exceeds the machine's rates is disturbed, unless these were measured too low.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "support/os/scratch_folder.h"
#include "target/measured/machine_limits.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Rates so low that every kernel seems to exceed them.
constexpr MachineLimits kTooLow{.fma_gflops = 0.01, .read_gb_s = 0.01};

class ChunkTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  SessionResult tune(std::function<MachineLimits(int)> measure_limits) {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    return run_session(task_, log,
                       {.budget = {.trials = 16},
                        .effort = Effort::kQuick,
                        .batch_size = 8,
                        .measure_limits = std::move(measure_limits)});
  }

  std::vector<std::string> disturbances() const {
    std::vector<std::string> all;
    for (const TrialRecord& trial : TuningLog::open(path_, OpenMode::kRead).trials(filter_of(task_key(task_)))) {
      all.push_back(trial.measurement.timing.disturbance);
    }
    return all;
  }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  const ScratchFolder folder_{"underrated-machine-test"};
  const std::string path_ = folder_.path() + "/log.db";
};

TEST_F(ChunkTest, ItsRatesAreMeasuredAgainBeforeATimeIsRefused) {
  int calls = 0;
  const SessionResult result =
      tune([&](int threads) { return ++calls == 1 ? kTooLow : measure_machine_limits(threads, 0.1); });
  EXPECT_GE(calls, 2);
  EXPECT_TRUE(result.best.has_value());
  EXPECT_THAT(disturbances(), AllOf(SizeIs(16), Each(Not(HasSubstr("faster than this machine")))));
}

TEST_F(ChunkTest, WhatStaysFasterThanTheMachineIsDisturbed) {
  tune([](int) { return kTooLow; });
  EXPECT_THAT(disturbances(), AllOf(SizeIs(16), Each(HasSubstr("faster than this machine"))));
}

}  // namespace
}  // namespace nestwright
