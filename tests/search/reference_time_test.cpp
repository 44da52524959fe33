// A reference time that was wrong is found by the anchor, and what was scored by it is scaled.
#include "search/session/reference_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "search/session/chunk.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReferenceTimeTest : public ::testing::Test {
 protected:
  void SetUp() override { tools_.id = log_.begin_session(context_.key(), {.made_by = context_.provenance()}); }

  /// Records the point of a seed as if it had been measured with this time.
  TrialId record(std::size_t seed, double ns) {
    const Point point = tools_.space.seeds()[seed];
    const Batch batch = log_.commit_batch(tools_.id, static_cast<int>(seed), {point});
    Measurement m;
    m.evidence.verified = true;
    m.timing.median_ns = m.timing.low_ns = m.timing.high_ns = ns;
    m.timing.samples_ns = {ns, ns, ns};
    const TrialCode code{"code of seed " + std::to_string(seed), 0};
    const TrialId trial = log_.record(tools_.id, batch.ids[0], m, code);
    trials_.remember(trial, point, m, code);
    trials_.note_timed(trial, point, m);
    return trial;
  }

  /// Makes the kernel of a seed the incumbent, with this time.
  void set_incumbent(std::size_t seed, double ns) {
    const Point point = tools_.space.seeds()[seed];
    trials_.set_incumbent({record(seed, ns), point, ns}, tools_.build({point}, Pipeline::kSearch).front());
    trials_.provide_anchor();
  }

  /// Corrects the time of the incumbent, which may take a few attempts on a busy machine.
  double corrected() {
    double factor = 1;
    for (int tries = 0; tries < 5 && factor == 1; ++tries) factor = correct_reference_time(trials_, tools_);
    return factor;
  }

  double recorded_ns(TrialId trial) const {
    for (const TrialRecord& record : log_.trials(filter_of(context_.key()))) {
      if (record.id == trial) return record.measurement.timing.median_ns;
    }
    return 0;
  }

  /// The session starts its workers when it is made.
  const int set_worker_ = setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
  const TaskContext context_{Task{parse_workload("matmul m=64 n=64 k=64"), Target::parse("host")}};
  const ScratchFolder folder_{"reference-time-test"};
  TuningLog log_ = TuningLog::open(folder_.path() + "/log.db", OpenMode::kWrite);
  const SessionOptions options_{.budget = {.trials = 6}};
  Tools tools_{context_, log_, options_};
  SessionTrials trials_{tools_.space.default_point()};
};

TEST_F(ReferenceTimeTest, WhatWasScoredByAWrongOneIsScaled) {
  ASSERT_THAT(tools_.space.seeds(), SizeIs(::testing::Ge(4u)));
  set_incumbent(0, 1e6);
  const TrialId by_anchor = record(2, 700);
  // Nearly the same kernel as the anchor cannot take a thousandth of its time.
  set_incumbent(1, 1e3);
  const TrialId by_incumbent = record(3, 900);
  const double factor = corrected();
  ASSERT_GT(factor, 10);
  EXPECT_DOUBLE_EQ(trials_.incumbent_ns(), factor * 1e3);
  const std::vector<SessionTrial> rescored = trials_.take_rescored();
  ASSERT_THAT(rescored, SizeIs(2));
  EXPECT_DOUBLE_EQ(rescored.back().ns, factor * 900);
  EXPECT_DOUBLE_EQ(recorded_ns(trials_.incumbent()->id), trials_.incumbent_ns());
  EXPECT_DOUBLE_EQ(recorded_ns(by_incumbent), factor * 900);
  EXPECT_DOUBLE_EQ(trials_.sound().back().ns, factor * 900);
  EXPECT_DOUBLE_EQ(trials_.known_code().measurement_of(by_incumbent)->timing.median_ns, factor * 900);
  EXPECT_EQ(recorded_ns(by_anchor), 700);
  EXPECT_EQ(recorded_ns(trials_.anchor()->id), 1e6);
}

TEST_F(ReferenceTimeTest, AnIncumbentOfAnEarlierSessionIsCorrectedWithoutTrialsOfThisOne) {
  set_incumbent(0, 1e6);
  set_incumbent(1, 1e3);
  SessionTrials later(tools_.space.default_point());
  later.set_incumbent(*trials_.anchor(), trials_.anchor_kernel());
  later.provide_anchor();
  later.set_incumbent(*trials_.incumbent(), trials_.incumbent_kernel());
  trials_ = later;
  EXPECT_GT(corrected(), 10);
  EXPECT_THAT(trials_.take_rescored(), IsEmpty());
}

TEST_F(ReferenceTimeTest, ARightOneStays) {
  set_incumbent(0, 1e6);
  set_incumbent(1, 1e9);
  EXPECT_EQ(correct_reference_time(trials_, tools_), 1);
  EXPECT_EQ(trials_.incumbent_ns(), 1e9) << "it is not too low";
}

TEST_F(ReferenceTimeTest, TheAnchorItselfHasNoOther) {
  set_incumbent(0, 1e6);
  EXPECT_EQ(correct_reference_time(trials_, tools_), 1);
  renew_reference_time(trials_, tools_);
  EXPECT_EQ(trials_.incumbent_ns(), 1e6);
}

}  // namespace
}  // namespace nestwright
