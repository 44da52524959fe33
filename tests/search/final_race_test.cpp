// The entrants of the final race.
#include "search/race/final_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "search/session/chunk.h"
#include "support/os/scratch_folder.h"
#include "templates/registry.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

const FinalRaceLimits kUnlimited{.seconds_left = [] { return std::numeric_limits<double>::infinity(); }};

class FinalRace : public ::testing::Test {
 protected:
  FinalRace() {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    log_.emplace(TuningLog::open(path_, OpenMode::kWrite));
    session_.emplace(task_, *log_, options_);
    session_->id = log_->begin_session(session_->context.key(), {.made_by = session_->context.provenance()});
    record_trials();
  }

  /// Records the default with a time of a millisecond, then slow trials with a microsecond.
  void record_trials() {
    std::vector<Point> points = {session_->space.seeds().front()};
    std::mt19937_64 random(1);
    while (points.size() < 4) {
      const auto point = session_->space.sample(random);
      ASSERT_TRUE(point.has_value());
      const std::string config = point->config.str();
      if (config.find("register_rows=1 register_vectors=1") == std::string::npos) continue;
      if (std::find(points.begin(), points.end(), *point) == points.end()) points.push_back(*point);
    }
    std::vector<Proposal> proposals;
    for (const Point& point : points) proposals.push_back({{point.template_name, point.version}, point.config, "test"});
    const Batch batch = log_->commit_batch(session_->id, 0, proposals);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double ns = i == 0 ? 1e6 : 1e3;
      const TrialId trial = log_->record(session_->id, batch.proposals[i].id, timed(ns));
      session_->sound_trials.push_back({trial, points[i], ns});
    }
  }

  /// The winner of a race; 0 where the machine was disturbed each time.
  TrialId winner_of(const FinalRaceLimits& limits) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      run_final_race(*session_, limits);
      if (session_->result.race_disturbance.empty()) break;
    }
    const auto best = log_->best(filter_of(session_->context.key()), session_->context.usable_templates());
    return best && best->source == BestSource::kRace ? best->trial : 0;
  }

  /// Adds readings of the reference kernel that differ. Returns the drift.
  double add_drift(TrialId reference) {
    Measurement beside = timed(1e3);
    for (const double reading : {1000.0, 1100.0, 1050.0}) {
      beside.timing.reference_ns = {reading, reading};
      session_->reference_readings.add(reference, {beside});
    }
    return session_->reference_readings.drift();
  }

  const Task task_{parse_workload("matmul m=96 n=96 k=96"), Target::parse("host")};
  const ScratchFolder folder_{"final-race-test"};
  const std::string path_ = folder_.path() + "/log.db";
  const SessionOptions options_{.finalists = 1};
  std::optional<TuningLog> log_;
  std::optional<SessionState> session_;
};

TEST_F(FinalRace, LuckyTimesOfTheSearchTakeNoPlaceFromAFasterKernel) {
  ASSERT_EQ(session_->race_plan().preliminary, 6);
  EXPECT_EQ(winner_of(kUnlimited), session_->sound_trials[0].trial);
}

TEST_F(FinalRace, ASessionOfOneTemplateRacesTheBestOfAll) {
  const TrialId best = winner_of(kUnlimited);
  ASSERT_NE(best, 0);
  ASSERT_EQ(session_->sound_trials[0].point.template_name, "matmul.cpu");
  const SessionOptions generated_only{.template_name = "generated.cpu", .finalists = 1};
  session_.emplace(task_, *log_, generated_only);
  session_->id = log_->begin_session(session_->context.key(), {.made_by = session_->context.provenance()});
  const Point point = session_->space.seeds().front();
  const Batch batch =
      log_->commit_batch(session_->id, 0, {{{point.template_name, point.version}, point.config, "test"}});
  const TrialId trial = log_->record(session_->id, batch.proposals[0].id, timed(1e3));
  session_->sound_trials.push_back({trial, point, 1e3});
  ASSERT_NE(winner_of(kUnlimited), 0);
  std::vector<TrialId> raced;
  for (const BestRecord& entry :
       log_->top(filter_of(session_->context.key()), 10, session_->context.usable_templates())) {
    if (entry.source == BestSource::kRace) raced.push_back(entry.trial);
  }
  EXPECT_THAT(raced, ::testing::UnorderedElementsAre(best, trial));
  EXPECT_EQ(session_->best()->trial, trial) << "the answer of a session of one template is one of its own";
}

TEST_F(FinalRace, ASessionWhoseAnchorFailedLaterKeepsItsUnit) {
  const std::vector<Point> points{session_->sound_trials[0].point, session_->sound_trials[1].point};
  const std::vector<TrialId> trials{session_->sound_trials[0].trial, session_->sound_trials[1].trial};
  const std::vector<BuiltPoint> built(2);
  const auto referred_to = [&](std::size_t candidate) {
    ChunkResult chunk;
    chunk.measurements = {timed(1e6), timed(1e3)};
    chunk.reference = candidate;
    return chunk;
  };
  update_references(*session_, referred_to(0), points, built, trials);
  ASSERT_EQ(session_->anchor->trial, trials[0]);
  session_->anchor.reset();  // as after a chunk in which its kernel failed
  session_->incumbent.reset();
  EXPECT_NO_THROW(update_references(*session_, referred_to(1), points, built, trials));
  EXPECT_EQ(session_->incumbent->trial, trials[1]);
  EXPECT_EQ(log_->session_units(session_->context.key()).size(), 1U);
}

TEST_F(FinalRace, WithoutAPreliminaryRaceTheTimesOfTheSearchChoose) {
  session_->result.interrupted = true;
  EXPECT_EQ(winner_of(kUnlimited), session_->sound_trials[1].trial);
}

TEST_F(FinalRace, IsNotHeldWithoutFinalists) {
  const SessionOptions none{.finalists = 0};
  SessionState session(task_, *log_, none);
  session.id = session_->id;
  session.sound_trials = session_->sound_trials;
  EXPECT_EQ(session.race_plan().seconds, 0);
  run_final_race(session, kUnlimited);
  for (const BestRecord& entry : log_->top(filter_of(session.context.key()), 10, session.context.usable_templates())) {
    EXPECT_NE(entry.source, BestSource::kRace);
  }
}

TEST_F(FinalRace, AnAnswerWithoutARaceHasTheDriftOfTheSessionInItsInterval) {
  const TrialId incumbent = session_->sound_trials[1].trial;
  log_->set_incumbent(session_->id, incumbent);
  const double drift = add_drift(incumbent);
  ASSERT_GT(drift, 0.1);
  run_final_race(*session_, {.seconds_left = [] { return 0; }});
  EXPECT_NE(session_->result.race_disturbance, "") << "one process is too few";
  const auto best = log_->best(filter_of(session_->context.key()), session_->versions);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->source, BestSource::kConfirmed);
  EXPECT_EQ(best->timing.median_ns, 1e3);
  EXPECT_LT(best->timing.low_ns, 1e3 * std::exp(-drift));
  EXPECT_GT(best->timing.high_ns, 1e3 * std::exp(drift));
}

TEST_F(FinalRace, ARangeOfAMachineThatIsNotQuietHasWhatTheSearchSaw) {
  add_drift(session_->sound_trials[0].trial);
  const double range = 1.645 * session_->reference_readings.deviation();
  ASSERT_GT(range, 0.05);
  ASSERT_NE(winner_of(kUnlimited), 0);
  const Timing timing = log_->best(filter_of(session_->context.key()), session_->context.usable_templates())->timing;
  EXPECT_LT(timing.low_ns, timing.median_ns * std::exp(-range));
  EXPECT_GT(timing.high_ns, timing.median_ns * std::exp(range));
}

TEST_F(FinalRace, AWinnerOfOneProcessHasTheDriftOfTheSessionInItsInterval) {
  const TimedTrial winner = session_->sound_trials[1];
  const std::vector<Point> points{winner.point};
  const std::vector<BuiltPoint> built(1);
  ChunkResult chunk;
  chunk.measurements = {timed(1e3)};
  chunk.reference = 0;
  update_references(*session_, chunk, points, built, std::vector<TrialId>{winner.trial});
  session_->sound_trials = {winner};
  const double drift = add_drift(winner.trial);
  std::optional<BestRecord> best;
  for (int attempt = 0; attempt < 20; ++attempt) {
    bool has_process = false;
    run_final_race(*session_, {.seconds_left = [&] { return has_process ? 0.0 : 100.0; },
                               .on_progress = [&](const std::string& doing,
                                                  const RaceProgress&) { has_process = doing == "final race"; }});
    best = log_->best(filter_of(session_->context.key()), session_->versions);
    ASSERT_TRUE(best.has_value());
    if (session_->result.race_disturbance.starts_with("the time was over after 1 of")) break;
  }
  ASSERT_EQ(best->source, BestSource::kDisturbed);
  ASSERT_EQ(best->process_medians_ns.size(), 1U);
  EXPECT_LT(best->timing.low_ns, best->timing.median_ns * std::exp(-drift));
  EXPECT_GT(best->timing.high_ns, best->timing.median_ns * std::exp(drift));
}

}  // namespace
}  // namespace nestwright
