// Databases of older schemas give the same answers after migration.
#include <gmock/gmock.h>

#include "logs/schema.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

/// The content of every version: one task.
constexpr const char* kOneTask = R"sql(
INSERT INTO target VALUES (1, 'cpu,isa=avx512,threads=2', 'made-up machine', 'LLVM 19.1.7', 2);
INSERT INTO workload VALUES (1, 'matmul m=512 n=512 k=512 ta=0 tb=1 dtype=float32', 'matmul', 'float32',
                             '{"m":512,"n":512,"k":512,"ta":0,"tb":1,"dtype":"float32"}', 268435456.0);
INSERT INTO task VALUES (1, 1, 1, 0, 'warm', 'small', 'none');
INSERT INTO space VALUES (1, 1, 'matmul.cpu', 1, NULL, NULL);
INSERT INTO session VALUES (1, 1, '1', 's', 'c', '{}', 'done', '', 'o', '2025-01-01T00:00:00.000Z', NULL);
INSERT INTO batch VALUES (1, 1, 0, 1, '2025-01-01T00:00:00.000Z');
INSERT INTO proposal VALUES (1, 1, 0, 1, 'x=1', '{"x":1}', 'seed'), (2, 1, 1, 1, 'x=2', '{"x":2}', 'seed'),
                            (3, 1, 2, 1, 'x=3', '{"x":3}', 'seed'), (4, 1, 3, 1, 'x=4', '{"x":4}', 'seed');
)sql";

/// Additional content of version 5: a race of two sessions, of which the stored best won the second; a task without a
/// race; a task whose session died.
constexpr const char* kVersion5Content = R"sql(
UPDATE workload SET workload = 'matmul m=512 n=512 k=512', parameters = '{"m":512,"n":512,"k":512}';
INSERT INTO session VALUES (2, 1, '2', 's', 'c', '{}', 'done', '', 'o', '2025-01-02T00:00:00.000Z', NULL);
INSERT INTO trial VALUES
  (1, 1, 1, 0, '', 50, 49, 51, '[50,49,51]', '[60,61]', '[25000.5]', 0, 1, 0.5, 0.25, 1, 2, 3, 'r1', 'c0de', NULL,
   NULL, NULL, NULL),
  (2, 2, 1, 0, '', 40, 39, 41, '[40]', '[40]', '[]', 0, 1, 0, 0, 1, 2, 3, 'r2', 'f00d', NULL, 1980, 41.5,
   '[{"kernel":"k","registers":64,"spill_bytes":0,"stack_bytes":0,"shared_bytes":0,"threads":256,"occupancy":0.5}]'),
  (3, 3, 2, 0, '', 30, 29, 31, '[30]', '[30]', '[]', 0, 1, 0, 0, 1, 2, 3, 'r3', NULL, NULL, NULL, NULL, NULL),
  (4, 4, 2, 0, '', 50, 49, 51, '[50]', '[60]', '[]', 0, 1, 0, 0, 1, 0, 0, 'r4', 'c0de', 1, NULL, NULL, NULL);
INSERT INTO race VALUES (4, 1, 1, 1, 1, '2025-01-01T01:00:00.000Z'), (7, 2, 1, 1, 1, '2025-01-02T01:00:00.000Z');
INSERT INTO race_entry VALUES
  (1, 4, 1, 'finalist', 0, 0, '', 45, 44, 46, '[45]', '[46]', '[24000.5]', 0, 1, 0.5, 0.25),
  (2, 4, 2, 'default', 1, 0, '', 46, 45, 47, '[46]', '[47]', '[]', 0, 1, 0, 0),
  (3, 7, 1, 'incumbent', 0, 0, '', 42, 41, 43, '[42,41]', '[44]', '[24001.5]', 0, 1, 0.5, 0.25),
  (4, 7, 3, 'finalist', 1, 0, '', 43, 42, 44, '[43]', '[44]', '[]', 0, 1, 0, 0);

INSERT INTO workload VALUES (2, 'matmul m=64 n=64 k=64', 'matmul', 'float32', '{"m":64,"n":64,"k":64}', 524288.0);
INSERT INTO task VALUES (2, 2, 1, 0, 'warm', 'small', 'none');
INSERT INTO space VALUES (2, 2, 'matmul.cpu', 1, NULL, NULL);
INSERT INTO session VALUES (3, 2, '3', 's', 'c', '{}', 'killed', '', 'o', '2025-01-03T00:00:00.000Z', NULL),
                           (4, 2, '4', 's', 'c', '{}', 'killed', '', 'o', '2025-01-04T00:00:00.000Z', NULL);
INSERT INTO batch VALUES (2, 3, 0, 3, 't'), (3, 4, 1, 4, 't');
INSERT INTO proposal VALUES (5, 2, 0, 2, 'x=1', '{"x":1}', 'seed'), (6, 2, 1, 2, 'x=2', '{"x":2}', 'seed'),
                            (7, 3, 0, 2, 'x=3', '{"x":3}', 'seed');
INSERT INTO trial VALUES
  (5, 5, 3, 0, '', 9, 8, 10, '[9]', '[9]', '[]', 0, 1, 0, 0, 1, 2, 3, 'r5', NULL, NULL, NULL, NULL, NULL),
  (6, 6, 3, 0, '', 7, 6, 8, '[7]', '[7]', '[]', 0, 1, 0, 0, 1, 2, 3, 'r6', NULL, NULL, NULL, NULL, NULL),
  (7, 7, 4, 0, '', 2, 1, 3, '[2]', '[2]', '[]', 0, 1, 0, 0, 1, 2, 3, 'r7', NULL, NULL, NULL, NULL, NULL);
)sql";

class MigrationTest : public ::testing::Test {
 protected:
  void make(int version, const std::string& content) const {
    std::filesystem::remove(path_);
    sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    migrate(database, log_migrations().first(version));
    database.execute(content);
  }
  void make_version_5() const { make(5, std::string(kOneTask) + kVersion5Content); }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
};

TEST_F(MigrationTest, WhatVersion1RecordedIsStillFound) {
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    make(1, std::string(kOneTask) +
                "INSERT INTO trial VALUES (1, 1, 1, 0, '', 5, 4, 6, '[5]', '[5]', '[]', 0, 1, 0, 0, 1, 1, 1, 't')");
    const TuningLog log = TuningLog::open(path_, mode);
    const WorkloadKey workload = matmul(512, 512, 512, "float32", 1);
    const auto best = log.best(filter_of(task_of(workload)));
    ASSERT_TRUE(best);
    EXPECT_EQ(best->task.workload.text, "matmul m=512 n=512 k=512 tb=1");
    EXPECT_EQ(best->timing.median_ns, 5);
    const std::vector<BestRecord> near = log.nearest(matmul(512, 512, 256, "float32", 1), {}, 1);
    ASSERT_EQ(near.size(), 1u);
    EXPECT_EQ(near[0].distance, 1);
    const std::vector<TrialRecord> trials = log.trials({});
    ASSERT_EQ(trials.size(), 1u);
    EXPECT_EQ(trials[0].code.identity, "");
    EXPECT_EQ(trials[0].code.same_as, 0) << "all were measured";
  }
}

TEST_F(MigrationTest, Version5GivesTheSameAnswers) {
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    make_version_5();
    const TuningLog log = TuningLog::open(path_, mode);
    const TaskKey raced = task_of(matmul(512, 512, 512)), unraced = task_of(matmul(64, 64, 64));
    const std::vector<BestRecord> top = log.top(filter_of(raced), 10);
    ASSERT_EQ(top.size(), 2u) << "entries of the last race; the only other trial of its session is a copy";
    EXPECT_EQ(top[0].trial, 1);
    EXPECT_EQ(top[0].session, 2);
    EXPECT_EQ(top[0].timing.median_ns, 42);
    EXPECT_EQ(top[0].source, BestSource::kRace);
    EXPECT_EQ(top[0].recorded_at, "2025-01-02T01:00:00.000Z");
    EXPECT_EQ(top[0].trials, 4);
    EXPECT_TRUE(top[0].by_old_rule);
    EXPECT_TRUE(top[0].kept);
    EXPECT_EQ(top[0].ties, 1);
    EXPECT_THAT(top[0].timing.samples_ns, ElementsAre(42, 41));
    EXPECT_THAT(top[0].timing.fma_ns, ElementsAre(24001.5)) << "the brackets of version 5";
    EXPECT_THAT(top[0].timing.reference_ns, ElementsAre());
    EXPECT_EQ(top[0].evidence.largest_error, 0.5);
    EXPECT_EQ(top[1].trial, 3);
    EXPECT_TRUE(top[1].tied);

    const auto fastest = log.best(filter_of(unraced));
    ASSERT_TRUE(fastest);
    EXPECT_EQ(fastest->trial, 6) << "the fastest of the busiest session";
    EXPECT_EQ(fastest->source, BestSource::kUnconfirmed);
    EXPECT_EQ(log.challengers(unraced, 5).size(), 3u);
    EXPECT_TRUE(log.challengers(raced, 5).empty());
  }
}

TEST_F(MigrationTest, Version5KeepsItsTrials) {
  make_version_5();
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const TaskKey task = task_of(matmul(512, 512, 512));
  const std::vector<TrialRecord> trials = log.trials(filter_of(task));
  ASSERT_EQ(trials.size(), 4u);
  EXPECT_THAT(trials[0].measurement.timing.fma_ns, ElementsAre(25000.5));
  EXPECT_THAT(trials[0].measurement.timing.walk_ns, ElementsAre());
  EXPECT_EQ(trials[0].measurement.timing.disturbance, "");
  EXPECT_EQ(trials[0].unit.rule, ScoringRule::kDividedByFma);
  EXPECT_EQ(trials[1].measurement.resources.at(0).registers, 64);
  EXPECT_EQ(trials[3].code.same_as, 1);
  EXPECT_EQ(trials[3].unit.session, 1) << "its times are the other session's";
  const SessionId session = log.begin_session(task, info());
  const std::vector<SessionUnit> units = log.session_units(task);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[1].rule, ScoringRule::kDividedByFma);
  EXPECT_EQ(units[2].session, session);
  EXPECT_EQ(units[2].rule, ScoringRule::kPaired);
}

TEST_F(MigrationTest, Version5KeepsItsReferences) {
  make_version_5();
  TuningLog::open(path_, OpenMode::kWrite);
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
  EXPECT_FALSE(database.prepare("PRAGMA foreign_key_check").step());
  sqlite::Statement races =
      database.prepare("SELECT \"table\" FROM pragma_foreign_key_list('race_entry') WHERE \"from\" = 'race_id'");
  ASSERT_TRUE(races.step());
  EXPECT_EQ(races.text(0), "race");
  sqlite::Statement entries = database.prepare("SELECT count(*), min(race_id), max(race_id) FROM race_entry");
  ASSERT_TRUE(entries.step());
  EXPECT_EQ(entries.integer(0), 4);
  EXPECT_EQ(entries.integer(1), 4);
  EXPECT_EQ(entries.integer(2), 7);
}

TEST_F(MigrationTest, AReaderLeavesAnOldFileAsItIs) {
  make_version_5();
  const std::filesystem::file_time_type before = std::filesystem::last_write_time(path_);
  EXPECT_EQ(TuningLog::open(path_, OpenMode::kRead).trials({}).size(), 7u);
  EXPECT_EQ(std::filesystem::last_write_time(path_), before);
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
  EXPECT_EQ(database.pragma("user_version"), 5);
  EXPECT_FALSE(std::filesystem::exists(path_ + "-version-5"));
}

TEST_F(MigrationTest, AWriterKeepsACopyOfAnOldFile) {
  make_version_5();
  std::vector<std::string> notes;
  TuningLog::open(path_, OpenMode::kWrite, {.on_note = [&](const std::string& text) { notes.push_back(text); }});
  const std::string copy = path_ + "-version-5";
  EXPECT_THAT(notes, ElementsAre("database '" + path_ + "' has schema version 5 and is brought up to " +
                                 std::to_string(log_migrations().back().to_version) + ": a copy of it as it was is '" +
                                 copy + "'"));
  EXPECT_EQ(sqlite::Database(copy, copy, SQLITE_OPEN_READONLY, 0).pragma("user_version"), 5);
  EXPECT_EQ(TuningLog::open(copy, OpenMode::kRead).trials({}).size(), 7u);
  notes.clear();
  TuningLog::open(path_, OpenMode::kWrite, {.on_note = [&](const std::string& text) { notes.push_back(text); }});
  EXPECT_THAT(notes, ElementsAre()) << "once";
}

TEST_F(MigrationTest, DevicesWereAlwaysTimedWithColdCaches) {
  make(6,
       "INSERT INTO target VALUES (1, 'cuda,arch=sm_90', 'm', 'NVRTC 13.0', 1), (2, 'cpu', 'm', 'LLVM 19.1.7', 1);"
       "INSERT INTO workload VALUES (1, 'w', 'matmul', 'float32', '{}', 1.0);"
       "INSERT INTO task VALUES (1, 1, 1, 0, 'warm', 'small', 'none'), (2, 1, 2, 0, 'warm', 'small', 'none')");
  TuningLog::open(path_, OpenMode::kWrite);
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
  sqlite::Statement caches = database.prepare("SELECT cache FROM task ORDER BY id");
  ASSERT_TRUE(caches.step());
  EXPECT_EQ(caches.text(0), "cold");
  ASSERT_TRUE(caches.step());
  EXPECT_EQ(caches.text(0), "warm");
}

TEST_F(MigrationTest, WhatIsRecordedIsCounted) {
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    make_version_5();
    const TuningLog log = TuningLog::open(path_, mode);
    const TaskTotals raced = log.totals(task_of(matmul(512, 512, 512)));
    EXPECT_EQ(raced.trials, 4);
    EXPECT_DOUBLE_EQ(raced.seconds, 0.019) << "three of 6 ms and a copy, which took 1 ms";
    EXPECT_EQ(log.totals(task_of(matmul(64, 64, 64))).trials, 3);
  }
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
  EXPECT_FALSE(database.prepare("SELECT 1 FROM batch WHERE unmeasured <> 0").step()) << "all points have a trial";
  make(5, kOneTask);
  TuningLog::open(path_, OpenMode::kWrite);
  sqlite::Database unmeasured(path_, path_, SQLITE_OPEN_READONLY, 0);
  sqlite::Statement batch = unmeasured.prepare("SELECT unmeasured FROM batch");
  ASSERT_TRUE(batch.step());
  EXPECT_EQ(batch.integer(0), 4);
}

TEST_F(MigrationTest, MigrationsRunInOrderAndOnce) {
  const Migration steps[] = {{1, "CREATE TABLE a(x)"}, {2, "CREATE TABLE b(x); INSERT INTO b VALUES (1)"}};
  sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  migrate(database, std::span(steps).first(1));
  EXPECT_EQ(database.pragma("user_version"), 1);
  migrate(database, steps);
  migrate(database, steps);
  EXPECT_EQ(database.pragma("user_version"), 2);
  EXPECT_EQ(database.pragma("application_id"), kLogApplicationId);
  sqlite::Statement count = database.prepare("SELECT count(*) FROM b");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), 1);
  EXPECT_THROW(migrate(database, std::span(steps).first(1)), LogError);
}

TEST_F(MigrationTest, AFailedMigrationLeavesTheOldVersion) {
  const Migration steps[] = {{1, "CREATE TABLE a(x)"}, {2, "CREATE TABLE b(x); CREATE TABLE b(x)"}};
  sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  migrate(database, std::span(steps).first(1));
  EXPECT_THROW(migrate(database, steps), LogError);
  EXPECT_EQ(database.pragma("user_version"), 1);
  sqlite::Statement count = database.prepare("SELECT count(*) FROM sqlite_schema");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), 1);
}

}  // namespace
}  // namespace nestwright
