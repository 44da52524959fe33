// Unreadable rows are skipped and noted once; the others are returned.
#include <gmock/gmock.h>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReadOrNoteTest : public ::testing::Test {
 protected:
  ReadOrNoteTest() {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_, info());
    double ns = 100;
    for (const ProposalId proposal : log.commit_batch(session, 0, points(0, 3)).ids) {
      log.record(session, proposal, timed(ns++));
    }
    log.commit_batch(session, 1, points(3, 2));
  }

  void spoil(const std::string& sql) const {
    sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 1000);
    database.execute(sql);
  }
  TuningLog open() {
    return TuningLog::open(path_, OpenMode::kWrite, {.on_note = [this](const std::string& s) { notes_.push_back(s); }});
  }
  auto note_of(const std::string& table, int row) const {
    return AllOf(HasSubstr("row " + std::to_string(row) + " of the table " + table + " in database '" + path_ +
                           "' cannot be read and is passed over: "),
                 Not(HasSubstr("\n")));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
  TaskKey task_ = task_of(matmul(512, 512, 512));
  std::vector<std::string> notes_;
};

TEST_F(ReadOrNoteTest, OfTrials) {
  spoil("UPDATE trial SET samples_ns = '[1, \"two\"]' WHERE id = 2");
  const TuningLog log = open();
  const std::vector<TrialRecord> trials = log.trials(filter_of(task_));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].id, 3);
  EXPECT_THAT(notes_, ElementsAre(note_of("trial", 2)));
  EXPECT_EQ(log.trials_after(task_, 0).size(), 2u);
  EXPECT_EQ(notes_.size(), 1u) << "told once";
}

TEST_F(ReadOrNoteTest, OfTheOutcome) {
  spoil("PRAGMA foreign_keys = OFF; UPDATE trial SET outcome = 77 WHERE id = 1");
  const TuningLog log = open();
  EXPECT_EQ(log.trials(filter_of(task_)).size(), 2u);
  EXPECT_THAT(notes_, ElementsAre(AllOf(note_of("trial", 1), HasSubstr("no outcome has the number 77"))));
}

TEST_F(ReadOrNoteTest, OfProposals) {
  spoil("UPDATE proposal SET knobs = '[]' WHERE id IN (1, 4)");
  TuningLog log = open();
  EXPECT_EQ(log.trials(filter_of(task_)).size(), 2u);
  const SessionId session = log.begin_session(task_, info());
  const auto batch = log.claim_unfinished_batch(session);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->points.size(), 1u);
  EXPECT_THAT(notes_, ElementsAre(note_of("trial", 1), note_of("proposal", 4)));
}

TEST_F(ReadOrNoteTest, OfTheSeed) {
  spoil("UPDATE session SET seed = 'many'");
  TuningLog log = open();
  const auto batch = log.claim_unfinished_batch(log.begin_session(task_, info()));
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->seed, 0u);
}

TEST_F(ReadOrNoteTest, OfTheWorkload) {
  spoil("UPDATE workload SET parameters = '7'");
  const TuningLog log = open();
  EXPECT_THAT(log.list({}), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre(note_of("task", 1)));
}

TEST_F(ReadOrNoteTest, OfTheUnit) {
  spoil("UPDATE session SET plugins = '7' WHERE id = 1");
  const TuningLog log = open();
  EXPECT_THAT(log.session_units(task_), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre(note_of("session", 1)));
}

TEST_F(ReadOrNoteTest, OfTheBest) {
  {
    TuningLog log = open();
    const SessionId session = log.begin_session(task_, info());
    Race race;
    race.entries = {{1, "finalist", timed(90), false, {}}};
    race.winner = 0;
    log.record_race(session, race);
    EXPECT_EQ(log.best(filter_of(task_))->timing.median_ns, 90);
  }
  spoil("UPDATE race_entry SET samples_ns = '{\"a\":\"b\"}'");
  EXPECT_EQ(open().best(filter_of(task_))->source, BestSource::kUnconfirmed) << "its trial can still be read";
  EXPECT_EQ(notes_.size(), 1u);
}

}  // namespace
}  // namespace nestwright
