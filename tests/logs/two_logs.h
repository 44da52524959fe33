// Two logs with made-up sessions, to be merged and compared.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "tests/logs/sample.h"

namespace nestwright {

class TwoLogs : public ::testing::Test {
 protected:
  /// What a session of a test has done.
  struct Recorded {
    SessionId session = 0;
    std::vector<TrialId> trials;
  };

  /// Records a session that began at `started_at` and measured the points with these numbers.
  static Recorded record(const std::string& path, const TaskKey& task, const std::string& started_at,
                         const std::vector<std::pair<int, Measurement>>& measured,
                         SessionStatus status = SessionStatus::kDone) {
    TuningLog log = TuningLog::open(path, OpenMode::kWrite);
    Recorded recorded;
    recorded.session = log.begin_session(task, info());
    std::vector<Point> proposed;
    for (const auto& [number, measurement] : measured) proposed.push_back(point(number));
    const Batch batch = log.commit_batch(recorded.session, 0, proposed);
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      recorded.trials.push_back(log.record(recorded.session, batch.ids[i], measured[i].second));
    }
    log.end_session(recorded.session, status, "");
    execute(path,
            "UPDATE session SET started_at = '" + started_at + "' WHERE id = " + std::to_string(recorded.session));
    return recorded;
  }
  /// Records a race of a session's first trials, which the first one wins, and dates it.
  static void race(const std::string& path, const Recorded& recorded, const std::string& recorded_at,
                   const std::vector<double>& medians) {
    {
      TuningLog log = TuningLog::open(path, OpenMode::kWrite);
      Race race;
      for (std::size_t i = 0; i < medians.size(); ++i) {
        race.entries.push_back({recorded.trials.at(i), "finalist", timed(medians[i]), false, {}});
      }
      race.winner = 0;
      ASSERT_FALSE(log.record_race(recorded.session, race).has_value());
    }
    execute(path, "UPDATE race SET recorded_at = '" + recorded_at + "' WHERE id = (SELECT max(id) FROM race)");
  }
  static Measurement disturbed(double median_ns) {
    Measurement measurement = timed(median_ns);
    measurement.timing.disturbance = "another process took the CPU";
    return measurement;
  }
  static Measurement timed_often(double median_ns) {
    Measurement measurement = timed(median_ns);
    measurement.timing.samples_ns = std::vector<double>(7, median_ns);
    return measurement;
  }

  static void execute(const std::string& path, const std::string& sql) {
    sqlite::Database database(path, path, SQLITE_OPEN_READWRITE, 1000);
    database.execute(sql);
  }
  static std::int64_t value(const std::string& path, const std::string& query) {
    const sqlite::Database database(path, path, SQLITE_OPEN_READWRITE, 1000);
    sqlite::Statement select = database.prepare(query);
    return select.step() ? select.integer(0) : -1;
  }
  /// Expects that the file is sound, and that the counts which triggers maintain are right.
  static void expect_whole(const std::string& path) {
    const sqlite::Database database(path, path, SQLITE_OPEN_READWRITE, 1000);
    sqlite::Statement integrity = database.prepare("PRAGMA integrity_check");
    ASSERT_TRUE(integrity.step());
    EXPECT_EQ(integrity.text(0), "ok");
    EXPECT_FALSE(database.prepare("PRAGMA foreign_key_check").step());
    EXPECT_FALSE(database
                     .prepare("SELECT 1 FROM task WHERE trials <> (SELECT count(*) FROM trial JOIN session"
                              " ON session.id = trial.session_id WHERE session.task_id = task.id)")
                     .step());
    EXPECT_FALSE(database
                     .prepare("SELECT 1 FROM batch WHERE unmeasured <> (SELECT count(*) FROM proposal WHERE batch_id ="
                              " batch.id AND NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id))")
                     .step());
  }
  /// The number from which point() made the point.
  static int number_of(const Point& point) { return static_cast<int>(point.config.find("unroll_k")->value[0]); }
  /// The times of the points that have a trial, by their numbers; 0 for one without a time.
  static std::map<int, double> times(const std::string& path, const TaskKey& task) {
    std::map<int, double> times;
    for (const TrialRecord& trial : TuningLog::open(path, OpenMode::kRead).trials(filter_of(task))) {
      times[number_of(trial.point)] = trial.measurement.timing.median_ns;
    }
    return times;
  }

  TemporaryFolder folder_;
  std::string a_ = folder_.file("a.db"), b_ = folder_.file("b.db");
  TaskKey task_ = task_of(matmul(512, 512, 512));
};

}  // namespace nestwright
