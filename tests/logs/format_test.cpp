// logs/FORMAT.md is correct: its queries run, and its tables and columns are those of the schema.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "logs/schema.h"
#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "nestwright/measurement.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

std::string document() {
  std::ifstream file(NESTWRIGHT_SOURCE_DIR "/logs/FORMAT.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> queries() {
  std::vector<std::string> found;
  const std::string text = document();
  const std::string open = "```sql\n", close = "```";
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

class FormatTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
    const Batch batch = log.commit_batch(session, 0, points(0, 4));
    Race race;
    for (int i = 0; i < 3; ++i) {
      const TrialId trial = log.record(session, batch.ids[i], timed(100 - i));
      race.entries.push_back({trial, "finalist", timed(90 - i), false, {}});
    }
    race.winner = 2;
    log.record_race(session, race);
    const TrialId anchor = race.entries[0].trial;
    log.set_anchor(session, anchor, 100);
    // A later session, on a machine that has become half as fast.
    const SessionId later = log.begin_session(task_of(matmul(512, 512, 512)), info());
    log.set_anchor(later, anchor, 200);
    log.record(later, log.commit_batch(later, 1, points(4, 2)).ids[0], timed(190));
    race.disturbance = "steal of 12%";
    race.winner = 0;
    log.record_race(later, race);
  }
  sqlite::Database open() const { return {path_, path_, SQLITE_OPEN_READWRITE, 1000}; }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
};

TEST_F(FormatTest, EveryExampleAnswers) {
  const sqlite::Database database = open();
  ASSERT_GE(queries().size(), 10u);
  for (const std::string& query : queries()) EXPECT_TRUE(database.prepare(query).step()) << query;
}

TEST_F(FormatTest, TheBestOfATaskIsTheWinnerOfItsRace) {
  const sqlite::Database database = open();
  sqlite::Statement best = database.prepare(queries().at(0));
  ASSERT_TRUE(best.step());
  EXPECT_EQ(best.text(3), point(2).config.str());
  EXPECT_EQ(best.real(4), 88);
  EXPECT_DOUBLE_EQ(best.real(5), 2.0 * 512 * 512 * 512 / 88);
  EXPECT_FALSE(best.step());
}

TEST_F(FormatTest, TimesOfSessionsAreRescaledByTheirAnchors) {
  const sqlite::Database database = open();
  sqlite::Statement rescaled = database.prepare(queries().at(1));
  std::vector<double> times;
  while (rescaled.step()) times.push_back(rescaled.real(3));
  EXPECT_THAT(times, ::testing::ElementsAre(190, 196, 198, 200));
}

TEST_F(FormatTest, TablesAndColumnsAreDocumented) {
  const sqlite::Database database = open();
  const std::string text = document();
  sqlite::Statement tables =
      database.prepare("SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')");
  int count = 0;
  while (tables.step()) {
    const std::string table = tables.text(0);
    EXPECT_THAT(text, ::testing::HasSubstr("`" + table + "`")) << "table " << table;
    if (tables.text(1) == "view") continue;
    ++count;
    EXPECT_THAT(tables.text(2), ::testing::EndsWith("STRICT"));
    sqlite::Statement columns = database.prepare("SELECT name FROM pragma_table_info('" + table + "')");
    while (columns.step()) {
      const std::string column = columns.text(0);
      if (column == "id" || column == "name") continue;
      EXPECT_THAT(text, ::testing::HasSubstr("`" + column + "`")) << table << "." << column;
    }
  }
  EXPECT_EQ(count, 14);
  EXPECT_THAT(text, ::testing::HasSubstr("**" + std::to_string(log_migrations().back().to_version) + "**"));
}

TEST_F(FormatTest, OutcomesHaveTheirNames) {
  const sqlite::Database database = open();
  sqlite::Statement outcomes = database.prepare("SELECT id, name FROM outcome ORDER BY id");
  int count = 0;
  for (; outcomes.step(); ++count) {
    EXPECT_EQ(outcomes.integer(0), count);
    EXPECT_EQ(outcomes.text(1), outcome_name(static_cast<Outcome>(count)));
  }
  EXPECT_EQ(count, 7);
}

TEST_F(FormatTest, WalAndForeignKeysHold) {
  const sqlite::Database database = open();
  sqlite::Statement mode = database.prepare("PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(0), "wal");
  EXPECT_FALSE(database.prepare("PRAGMA foreign_key_check").step());
}

}  // namespace
}  // namespace nestwright
