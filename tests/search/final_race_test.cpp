// The entrants of the final race.
#include "search/race/final_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "nestwright/registry.h"
#include "search/session/chunk.h"
#include "search/trials/session_best.h"
#include "support/os/scratch_folder.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

const FinalRaceLimits kUnlimited{.seconds_left = [] { return std::numeric_limits<double>::infinity(); }};

class FinalRace : public ::testing::Test {
 protected:
  FinalRace() {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    log_.emplace(TuningLog::open(path_, OpenMode::kWrite));
    start(options_);
    record_trials();
  }

  void start(const SessionOptions& options) {
    tools_.emplace(context_, *log_, options);
    trials_.emplace(tools_->space.default_point());
    tools_->id = log_->begin_session(context_.key(), {.made_by = context_.provenance()});
  }

  /// Records a trial with this time, which counts as sound.
  TrialId record(ProposalId proposal, const Point& point, double ns) {
    const TrialId trial = log_->record(tools_->id, proposal, timed(ns));
    trials_->note_timed(trial, point, timed(ns));
    return trial;
  }

  void run_race(const FinalRaceLimits& limits) { run_final_race(context_, *trials_, *tools_, limits, result_); }

  /// Records the default with a time of a millisecond, then slow trials with a microsecond.
  void record_trials() {
    std::vector<Point> points = {tools_->space.seeds().front()};
    std::mt19937_64 random(1);
    while (points.size() < 4) {
      const auto point = tools_->space.sample(random);
      ASSERT_TRUE(point.has_value());
      const std::string config = point->config.str();
      if (config.find("register_rows=1 register_vectors=1") == std::string::npos) continue;
      if (std::find(points.begin(), points.end(), *point) == points.end()) points.push_back(*point);
    }
    const Batch batch = log_->commit_batch(tools_->id, 0, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      record(batch.ids[i], points[i], i == 0 ? 1e6 : 1e3);
    }
  }

  /// The winner of a race; 0 where the machine was disturbed each time.
  TrialId winner_of(const FinalRaceLimits& limits) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      run_race(limits);
      if (result_.race_disturbance.empty()) break;
    }
    const auto best = log_->best(filter_of(context_.key()), context_.usable_templates());
    return best && best->source == BestSource::kRace ? best->trial : 0;
  }

  /// Adds readings of the reference kernel that differ. Returns the drift.
  double add_drift(TrialId reference) {
    Measurement beside = timed(1e3);
    for (const double reading : {1000.0, 1100.0, 1050.0}) {
      beside.timing.reference_ns = {reading, reading};
      trials_->reference_readings.add(reference, {beside});
    }
    return trials_->reference_readings.drift();
  }

  const TaskContext context_{Task{parse_workload("matmul m=96 n=96 k=96"), Target::parse("host")}};
  const ScratchFolder folder_{"final-race-test"};
  const std::string path_ = folder_.path() + "/log.db";
  const SessionOptions options_{.finalists = 1};
  std::optional<TuningLog> log_;
  std::optional<Tools> tools_;
  std::optional<SessionTrials> trials_;
  SessionResult result_;
};

TEST_F(FinalRace, LuckyTimesOfTheSearchTakeNoPlaceFromAFasterKernel) {
  ASSERT_EQ(tools_->race_plan(trials_->incumbent_ns()).preliminary, 6);
  EXPECT_EQ(winner_of(kUnlimited), trials_->sound()[0].id);
}

TEST_F(FinalRace, ASessionOfOneTemplateRacesTheBestOfAll) {
  const TrialId best = winner_of(kUnlimited);
  ASSERT_NE(best, 0);
  ASSERT_EQ(trials_->sound()[0].point.template_name, "matmul.cpu");
  const SessionOptions generated_only{.template_name = "generated.cpu", .finalists = 1};
  start(generated_only);
  const Point point = tools_->space.seeds().front();
  const Batch batch = log_->commit_batch(tools_->id, 0, {point});
  const TrialId trial = record(batch.ids[0], point, 1e3);
  ASSERT_NE(winner_of(kUnlimited), 0);
  std::vector<TrialId> raced;
  for (const BestRecord& entry : log_->top(filter_of(context_.key()), 10, context_.usable_templates())) {
    if (entry.source == BestSource::kRace) raced.push_back(entry.trial);
  }
  EXPECT_THAT(raced, ::testing::UnorderedElementsAre(best, trial));
  EXPECT_EQ(session_best(context_, *trials_, *tools_)->trial, trial)
      << "the answer of a session of one template is one of its own";
}

TEST_F(FinalRace, ASessionWhoseAnchorFailedLaterKeepsItsUnit) {
  const std::vector<SessionTrial> sound = trials_->sound();
  const std::vector<Point> points{sound[0].point, sound[1].point};
  const std::vector<TrialId> trials{sound[0].id, sound[1].id};
  const std::vector<BuiltPoint> built(2);
  const auto referred_to = [&](std::size_t candidate) {
    ChunkResult chunk;
    chunk.measurements = {timed(1e6), timed(1e3)};
    chunk.reference = candidate;
    return chunk;
  };
  update_references(*trials_, *tools_, referred_to(0), points, built, trials);
  ASSERT_EQ(trials_->anchor()->id, trials[0]);
  trials_->drop_incumbent();  // as after a chunk in which its kernel failed
  ASSERT_FALSE(trials_->anchor().has_value());
  EXPECT_NO_THROW(update_references(*trials_, *tools_, referred_to(1), points, built, trials));
  EXPECT_EQ(trials_->incumbent()->id, trials[1]);
  EXPECT_EQ(log_->session_units(context_.key()).size(), 1U);
}

TEST_F(FinalRace, WithoutAPreliminaryRaceTheTimesOfTheSearchChoose) {
  result_.interrupted = true;
  EXPECT_EQ(winner_of(kUnlimited), trials_->sound()[1].id);
}

TEST_F(FinalRace, IsNotHeldWithoutFinalists) {
  const SessionOptions none{.finalists = 0};
  const SessionId session = tools_->id;
  tools_.emplace(context_, *log_, none);
  tools_->id = session;
  EXPECT_EQ(tools_->race_plan(trials_->incumbent_ns()).seconds, 0);
  run_race(kUnlimited);
  for (const BestRecord& entry : log_->top(filter_of(context_.key()), 10, context_.usable_templates())) {
    EXPECT_NE(entry.source, BestSource::kRace);
  }
}

TEST_F(FinalRace, AnAnswerWithoutARaceHasTheDriftOfTheSessionInItsInterval) {
  const TrialId incumbent = trials_->sound()[1].id;
  log_->set_incumbent(tools_->id, incumbent);
  const double drift = add_drift(incumbent);
  ASSERT_GT(drift, 0.1);
  run_race({.seconds_left = [] { return 0; }});
  EXPECT_NE(result_.race_disturbance, "") << "one process is too few";
  const auto best = log_->best(filter_of(context_.key()), tools_->versions);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->source, BestSource::kConfirmed);
  EXPECT_EQ(best->timing.median_ns, 1e3);
  EXPECT_LT(best->timing.low_ns, 1e3 * std::exp(-drift));
  EXPECT_GT(best->timing.high_ns, 1e3 * std::exp(drift));
}

TEST_F(FinalRace, ARangeOfAMachineThatIsNotQuietHasWhatTheSearchSaw) {
  add_drift(trials_->sound()[0].id);
  const double range = 1.645 * trials_->reference_readings.deviation();
  ASSERT_GT(range, 0.05);
  ASSERT_NE(winner_of(kUnlimited), 0);
  const Timing timing = log_->best(filter_of(context_.key()), context_.usable_templates())->timing;
  EXPECT_LT(timing.low_ns, timing.median_ns * std::exp(-range));
  EXPECT_GT(timing.high_ns, timing.median_ns * std::exp(range));
}

TEST_F(FinalRace, AWinnerOfOneProcessHasTheDriftOfTheSessionInItsInterval) {
  const SessionTrial winner = trials_->sound()[1];
  const std::vector<Point> points{winner.point};
  const std::vector<BuiltPoint> built(1);
  ChunkResult chunk;
  chunk.measurements = {timed(1e3)};
  chunk.reference = 0;
  trials_.emplace(tools_->space.default_point());
  update_references(*trials_, *tools_, chunk, points, built, std::vector<TrialId>{winner.id});
  trials_->note_timed(winner.id, winner.point, timed(winner.ns));
  const double drift = add_drift(winner.id);
  std::optional<BestRecord> best;
  for (int attempt = 0; attempt < 20; ++attempt) {
    bool has_process = false;
    run_race(
        {.seconds_left = [&] { return has_process ? 0.0 : 100.0; },
         .on_progress = [&](const std::string& doing, const RaceProgress&) { has_process = doing == "final race"; }});
    best = log_->best(filter_of(context_.key()), tools_->versions);
    ASSERT_TRUE(best.has_value());
    if (result_.race_disturbance.starts_with("the time was over after 1 of")) break;
  }
  ASSERT_EQ(best->source, BestSource::kDisturbed);
  ASSERT_EQ(best->process_medians_ns.size(), 1U);
  EXPECT_LT(best->timing.low_ns, best->timing.median_ns * std::exp(-drift));
  EXPECT_GT(best->timing.high_ns, best->timing.median_ns * std::exp(drift));
}

}  // namespace
}  // namespace nestwright
