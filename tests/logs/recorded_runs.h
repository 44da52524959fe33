// A log with made-up sessions of one task.
#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "tests/logs/sample.h"

namespace nestwright {

class RecordedRuns : public ::testing::Test {
 protected:
  /// Records one trial for each measurement in a session of its own, which stays open.
  SessionId run(const TaskKey& task, const std::vector<Measurement>& measurements, int version = 1) {
    const SessionId session = log_.begin_session(task, info());
    std::vector<Point> proposals;
    for (std::size_t i = 0; i < measurements.size(); ++i) proposals.push_back(point(next_point_++, version));
    const Batch batch = log_.commit_batch(session, 0, proposals);
    trials_.clear();
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      trials_.push_back(log_.record(session, batch.ids[i], measurements[i]));
    }
    return session;
  }
  SessionId run(const std::vector<Measurement>& measurements) { return run(task_, measurements); }
  /// The same, by the rule of schema version 5, and ended.
  SessionId run_by_old_rule(const std::vector<Measurement>& measurements) {
    const SessionId session = run(task_, measurements);
    log_.end_session(session, SessionStatus::kKilled, "");
    sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 1000);
    database.execute("UPDATE session SET rule = 1 WHERE id = " + std::to_string(session));
    return session;
  }
  /// Records a run of one trial and confirms it.
  SessionId confirmed_run(const TaskKey& task, double median_ns) {
    const SessionId session = run(task, {timed(median_ns)});
    log_.set_incumbent(session, trials_[0]);
    return session;
  }

  static Race race_of(const std::vector<std::pair<TrialId, double>>& entries, int winner) {
    Race race;
    for (const auto& [trial, median] : entries) race.entries.push_back({trial, "finalist", timed(median), false, {}});
    race.winner = winner;
    return race;
  }
  static Measurement disturbed(double median_ns) {
    Measurement measurement = timed(median_ns);
    measurement.timing.disturbance = "another process took the CPU for 12% of the time";
    return measurement;
  }
  std::optional<BestRecord> best(const std::vector<TemplateVersion>& templates = {}) {
    return log_.best(filter_of(task_), templates);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
  TuningLog log_ = TuningLog::open(path_, OpenMode::kWrite);
  TaskKey task_ = task_of(matmul(512, 512, 512));
  std::vector<TrialId> trials_;  ///< of the last run
  int next_point_ = 0;
};

}  // namespace nestwright
