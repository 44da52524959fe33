// A reference time that was wrong is found by the anchor, and what was scored by it is scaled.
#include "search/session/reference_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "search/session/chunk.h"
#include "support/os/scratch_folder.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReferenceTimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    session_.id = log_.begin_session(session_.context.key(), {.made_by = session_.context.provenance()});
  }

  /// Records the point of a seed as if it had been measured with this time.
  TrialId record(std::size_t seed, double ns) {
    const Point point = session_.space.seeds()[seed];
    const Batch batch = log_.commit_batch(session_.id, static_cast<int>(seed),
                                          {{{point.template_name, point.version}, point.config, "seed"}});
    Measurement m;
    m.evidence.verified = true;
    m.timing.median_ns = m.timing.low_ns = m.timing.high_ns = ns;
    m.timing.samples_ns = {ns, ns, ns};
    const TrialCode code{"code of seed " + std::to_string(seed), 0};
    const TrialId trial = log_.record(session_.id, batch.proposals[0].id, m, code);
    session_.remember(trial, point, m, code);
    session_.note_timed(trial, point, m);
    return trial;
  }

  ReferenceKernel kernel(std::size_t seed, double ns) {
    const BuiltPoint built = session_.build({session_.space.seeds()[seed]}, Pipeline::kSearch).front();
    return {record(seed, ns), session_.space.seeds()[seed], built.result.object, ns, built.work};
  }

  double recorded_ns(TrialId trial) const {
    for (const TrialRecord& record : log_.trials(filter_of(session_.context.key()))) {
      if (record.id == trial) return record.measurement.timing.median_ns;
    }
    return 0;
  }

  /// The session starts its workers when it is made.
  const int set_worker_ = setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
  const Task task_{parse_workload("matmul m=64 n=64 k=64"), Target::parse("host")};
  const ScratchFolder folder_{"reference-time-test"};
  TuningLog log_ = TuningLog::open(folder_.path() + "/log.db", OpenMode::kWrite);
  const SessionOptions options_{.budget = {.trials = 6}};
  SessionState session_{task_, log_, options_};
};

/// Corrects the time of the incumbent, which may take a few attempts on a busy machine.
double corrected(SessionState& session) {
  double factor = 1;
  for (int tries = 0; tries < 5 && factor == 1; ++tries) factor = correct_reference_time(session);
  return factor;
}

TEST_F(ReferenceTimeTest, WhatWasScoredByAWrongOneIsScaled) {
  ASSERT_THAT(session_.space.seeds(), SizeIs(::testing::Ge(4u)));
  session_.anchor = kernel(0, 1e6);
  session_.incumbent = session_.anchor;
  const TrialId by_anchor = record(2, 700);
  // Nearly the same kernel as the anchor cannot take a thousandth of its time.
  session_.incumbent = kernel(1, 1e3);
  const TrialId by_incumbent = record(3, 900);
  const double factor = corrected(session_);
  ASSERT_GT(factor, 10);
  EXPECT_DOUBLE_EQ(session_.incumbent_ns(), factor * 1e3);
  EXPECT_THAT(session_.rescored, SizeIs(2));
  EXPECT_DOUBLE_EQ(session_.rescored.back().median_ns, factor * 900);
  EXPECT_DOUBLE_EQ(recorded_ns(session_.incumbent->trial), session_.incumbent_ns());
  EXPECT_DOUBLE_EQ(recorded_ns(by_incumbent), factor * 900);
  EXPECT_DOUBLE_EQ(session_.sound_trials.back().median_ns, factor * 900);
  EXPECT_DOUBLE_EQ(session_.known_code.measurement_of(by_incumbent)->timing.median_ns, factor * 900);
  EXPECT_EQ(recorded_ns(by_anchor), 700);
  EXPECT_EQ(recorded_ns(session_.anchor->trial), 1e6);
}

TEST_F(ReferenceTimeTest, AnIncumbentOfAnEarlierSessionIsCorrectedWithoutTrialsOfThisOne) {
  session_.anchor = kernel(0, 1e6);
  session_.incumbent = kernel(1, 1e3);
  session_.sound_trials.clear();
  EXPECT_GT(corrected(session_), 10);
  EXPECT_THAT(session_.rescored, IsEmpty());
}

TEST_F(ReferenceTimeTest, ARightOneStays) {
  session_.anchor = kernel(0, 1e6);
  session_.incumbent = kernel(1, 1e9);
  EXPECT_EQ(correct_reference_time(session_), 1);
  EXPECT_EQ(session_.incumbent_ns(), 1e9) << "it is not too low";
}

TEST_F(ReferenceTimeTest, TheAnchorItselfHasNoOther) {
  session_.anchor = kernel(0, 1e6);
  session_.incumbent = session_.anchor;
  EXPECT_EQ(correct_reference_time(session_), 1);
  renew_reference_time(session_);
  EXPECT_EQ(session_.incumbent_ns(), 1e6);
}

}  // namespace
}  // namespace nestwright
