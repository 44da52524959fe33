// Unusable databases: each is refused in one sentence and left unchanged, byte for byte.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "logs/schema.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"
#include "tests/logs/writer_process.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const std::string& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

class OpenLogTest : public ::testing::Test {
 protected:
  std::string refusal(OpenMode mode, const OpenOptions& options = {}) const {
    return message<LogError>([&] { TuningLog::open(path_, mode, options); });
  }
  /// Both modes refuse with a message that names the file, and leave it unchanged.
  void expect_refused_untouched(const std::string& why) const {
    const std::string before = bytes_of(path_);
    for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
      EXPECT_THAT(refusal(mode),
                  AllOf(HasSubstr(why), HasSubstr("'" + path_ + "'"), HasSubstr("--db"), Not(HasSubstr("\n"))));
    }
    EXPECT_EQ(bytes_of(path_), before);
  }
  void make_log(int trials = 3) const {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
    const Batch batch = log.commit_batch(session, 0, points(0, trials));
    for (int i = 0; i < trials; ++i) log.record(session, batch.ids[static_cast<std::size_t>(i)], timed(100 + i));
    log.end_session(session, SessionStatus::kDone, "");
  }
  void run_sql(const std::string& sql) const {
    sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    database.execute(sql);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
};

TEST_F(OpenLogTest, TwoNamesOfAFileShareItsSessions) {
  make_log(1);
  const std::string link = folder_.file("link.db");
  std::filesystem::create_symlink(path_, link);
  TuningLog by_path = TuningLog::open(path_, OpenMode::kWrite), by_link = TuningLog::open(link, OpenMode::kWrite);
  const TaskKey task = task_of(matmul(512, 512, 512));
  const SessionId first = by_path.begin_session(task, info());
  by_link.begin_session(task, info());  // takes over what dead sessions have left
  const Batch batch = by_path.commit_batch(first, 0, points(7, 1));
  EXPECT_NO_THROW(by_path.record(first, batch.ids[0], timed(100)));
  sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 0);
  sqlite::Statement status = database.prepare("SELECT status FROM session WHERE id = ?");
  ASSERT_TRUE(status.bind(first).step());
  EXPECT_EQ(status.text(0), "running");
}

TEST_F(OpenLogTest, NotThere) {
  EXPECT_EQ(refusal(OpenMode::kRead),
            "database '" + path_ + "' does not exist: run 'nestwright tune' first, or give another file with --db");
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(refusal(OpenMode::kWrite), "accepted");
  EXPECT_EQ(refusal(OpenMode::kRead), "accepted") << "made by the writer";
}

TEST_F(OpenLogTest, AFolderThatIsNotThere) {
  path_ = folder_.file("missing/log.db");
  EXPECT_THAT(refusal(OpenMode::kWrite), HasSubstr("cannot be opened: check that its folder exists"));
}

TEST_F(OpenLogTest, AFolderInsteadOfAFile) {
  path_ = folder_.path();
  EXPECT_THAT(refusal(OpenMode::kRead), HasSubstr("is a folder"));
  path_.clear();
  EXPECT_THAT(refusal(OpenMode::kWrite), HasSubstr("no database file was named"));
}

TEST_F(OpenLogTest, EmptyFilesAreNewDatabases) {
  put(path_, "");
  EXPECT_THAT(refusal(OpenMode::kRead), HasSubstr("is empty: run 'nestwright tune' first"));
  EXPECT_EQ(refusal(OpenMode::kWrite), "accepted");
}

TEST_F(OpenLogTest, SomethingElse) {
  put(path_, "# Notes\n\nThese must not be lost, whatever --db was given.\n");
  expect_refused_untouched("is not a database of nestwright");
  put(path_, "SQLite");
  expect_refused_untouched("is not a database of nestwright");
}

TEST_F(OpenLogTest, AnotherProgramsDatabase) {
  run_sql("CREATE TABLE person(name TEXT); INSERT INTO person VALUES ('Ada')");
  expect_refused_untouched("belongs to another program");
}

TEST_F(OpenLogTest, CutOff) {
  make_log();
  put(path_, bytes_of(path_).substr(0, 6000));
  expect_refused_untouched("is damaged");
}

TEST_F(OpenLogTest, DamagedInTheMiddle) {
  make_log(40);
  std::string bytes = bytes_of(path_);
  const std::size_t page = 4096;
  for (std::size_t at = 2 * page; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 37);
  put(path_, bytes);
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    EXPECT_THAT(refusal(mode, {.check = true}), HasSubstr("is damaged"));
  }
  try {
    TuningLog::open(path_, OpenMode::kRead).list({});
    ADD_FAILURE() << "read a damaged database";
  } catch (const LogError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is damaged"));
  }
  EXPECT_EQ(bytes_of(path_), bytes);
}

TEST_F(OpenLogTest, OfALargeFileAWriterLooksForDamageWhereTheLastOneDied) {
  make_log(40);
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = bytes_of(path_);
  for (std::size_t at = bytes.size() - 8192; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 37);
  put(path_, bytes);
  const OpenOptions large{.small_bytes = 0};
  EXPECT_EQ(refusal(OpenMode::kWrite, large), "accepted") << "what is not read is not looked at";
  put(path_ + "-wal", "left behind");
  EXPECT_THAT(refusal(OpenMode::kWrite, large), HasSubstr("is damaged"));
}

TEST_F(OpenLogTest, NewerSchema) {
  make_log();
  run_sql("PRAGMA user_version = 99");
  expect_refused_untouched("has schema version 99 but this nestwright knows versions up to 13: use a newer nestwright");
}

TEST_F(OpenLogTest, LockedByAnotherProcess) {
  make_log();
  sqlite::Database other(path_, path_, SQLITE_OPEN_READWRITE, 0);
  other.execute("BEGIN IMMEDIATE");
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite, {.busy_timeout_ms = 100});
  try {
    log.begin_session(task_of(matmul(1, 1, 1)), info());
    ADD_FAILURE() << "written past a lock";
  } catch (const LogError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("has been locked by another process for 0.1 s: try again when that one is done"));
  }
  EXPECT_EQ(log.trials({}).size(), 3u) << "reading needs no lock";
  other.execute("COMMIT");
  EXPECT_GT(log.begin_session(task_of(matmul(1, 1, 1)), info()), 0);
}

TEST_F(OpenLogTest, LockedWhole) {
  make_log();
  sqlite::Database other(path_, path_, SQLITE_OPEN_READWRITE, 0);
  other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
    EXPECT_THAT(refusal(mode, {.busy_timeout_ms = 50}), HasSubstr("has been locked by another process"));
  }
}

TEST_F(OpenLogTest, ReadOnlyFileAndFolder) {
  make_log();
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  // A process of its own, because permissions do not bind root.
  EXPECT_EQ(WriterProcess({"open", path_, "read"}).read_line(), "opened 3");
  EXPECT_THAT(WriterProcess({"open", path_, "write"}).read_line(),
              HasSubstr("is read-only: make the file and its folder writable"));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1) << "no files are left beside it";
}

TEST_F(OpenLogTest, AFileThatMayNotBeRead) {
  make_log();
  ASSERT_EQ(chmod(path_.c_str(), 0), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_THAT(WriterProcess({"open", path_, "read"}).read_line(), HasSubstr("cannot be read: check its permissions"));
}

TEST_F(OpenLogTest, QueriesDoNotWrite) {
  make_log();
  TuningLog log = TuningLog::open(path_, OpenMode::kRead);
  EXPECT_THROW(log.begin_session(task_of(matmul(1, 1, 1)), info()), LogError);
}

TEST_F(OpenLogTest, SizeLimitActsAsAFullDisk) {
  std::string message;
  std::size_t acknowledged = 0;
  try {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite, {.max_bytes = 200 << 10});
    const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
    for (int number = 0;; ++number) {
      for (const ProposalId proposal : log.commit_batch(session, number, points(number * 10, 10)).ids) {
        log.record(session, proposal, timed(100));
        ++acknowledged;
      }
    }
  } catch (const LogError& error) {
    message = error.what();
  }
  EXPECT_THAT(message,
              AllOf(HasSubstr("has no space left on its disk: free some and run again"), Not(HasSubstr("\n"))));
  EXPECT_GT(acknowledged, 10u);
  EXPECT_EQ(TuningLog::open(path_, OpenMode::kRead).trials({}).size(), acknowledged);
  EXPECT_EQ(refusal(OpenMode::kWrite), "accepted") << "goes on where there is space again";
}

TEST_F(OpenLogTest, FullDisk) {
  const std::vector<std::string> lines = WriterProcess({"fill", folder_.path()}).read_all();
  ASSERT_FALSE(lines.empty());
  if (lines[0] == "cannot mount") GTEST_SKIP() << "needs the right to mount";
  ASSERT_GE(lines.size(), 3u);
  EXPECT_THAT(lines[lines.size() - 2], HasSubstr("has no space left on its disk"));
  const std::size_t acknowledged = lines.size() - 2;
  EXPECT_EQ(lines.back(), "kept " + std::to_string(acknowledged));
}

TEST_F(OpenLogTest, AnOlderSchemaIsReadWhereItCannotBeWritten) {
  {
    sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    migrate(database, log_migrations().first(1));
  }
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  EXPECT_EQ(WriterProcess({"open", path_, "read"}).read_line(), "opened 0");
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
}

}  // namespace
}  // namespace nestwright
