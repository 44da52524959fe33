// Unusable databases: exit code 5, one sentence that says what to do, and an unchanged file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class BadDatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // An unprivileged user must have access.
    ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  }

  CommandOutput tune(CommandOptions options = {}) {
    return run_nestwright({"tune", kSmallWorkload, "--trials", "2", "--threads", "1", "--db", path_}, options);
  }
  CommandOutput query(CommandOptions options = {}) {
    return run_nestwright({"query", kSmallWorkload, "--db", path_}, options);
  }
  CommandOutput list() { return run_nestwright({"query", "--db", path_}); }
  CommandOutput export_it() {
    return run_nestwright({"export", kSmallWorkload, "--db", path_, "--out", folder_.file("out")});
  }

  void expect_all_refused(const std::vector<std::string>& parts) {
    for (const CommandOutput& ran : {tune(), query(), list(), export_it()}) expect_refusal(ran, 5, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_.file("out")));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("some.db");
};

TEST_F(BadDatabaseTest, Missing) {
  for (const CommandOutput& ran : {query(), list(), export_it()}) {
    expect_refusal(ran, 5, {"some.db' does not exist", "run 'nestwright tune' first", "--db"});
  }
  expect_refusal(run_nestwright({"lower", kSmallWorkload, "--db", path_}), 5, {"does not exist"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "a query creates no file";
}

TEST_F(BadDatabaseTest, MissingFolder) {
  const CommandOutput ran =
      run_nestwright({"tune", kSmallWorkload, "--trials", "2", "--db", folder_.file("no/some.db")});
  expect_refusal(ran, 5, {"cannot be opened", "check that its folder exists"});
}

TEST_F(BadDatabaseTest, AFolder) {
  std::filesystem::create_directory(path_);
  expect_all_refused({"is a folder, not a database", "give a file with --db"});
}

TEST_F(BadDatabaseTest, SomethingElse) {
  std::ofstream(path_) << "Dear diary, today I tuned a kernel.\n";
  const std::string before = bytes_of(path_);
  expect_all_refused({"is not a database of nestwright and was left as it is", "--db"});
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(BadDatabaseTest, DamagedFilesStayByteForByte) {
  make_small_log(path_);
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(4096);
    for (int i = 0; i < 6 * 4096; ++i) file.put('\x5a');
  }
  const std::string before = bytes_of(path_);
  expect_refusal(
      tune(), 5,
      {"some.db'", "damaged",
       "restore a copy, save what can be read with 'nestwright log repair', or give another file with --db"});
  expect_refusal(query(), 5, {"some.db'", "damaged"});
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(BadDatabaseTest, CutOff) {
  make_small_log(path_);
  std::filesystem::resize_file(path_, 5000);
  const std::string before = bytes_of(path_);
  expect_refusal(tune(), 5, {"some.db'", "damaged"});
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(BadDatabaseTest, NewerSchema) {
  make_small_log(path_);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const std::string before = bytes_of(path_);
  expect_all_refused({"some.db'", "newer"});
  EXPECT_EQ(bytes_of(path_), before);
}

TEST_F(BadDatabaseTest, LockedByAnotherConnection) {
  make_small_log(path_);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  expect_failure(tune(), 5, {"some.db'", "locked by another process"});
  EXPECT_EQ(query().code, 0) << "reading needs no lock";
  sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(database);
}

TEST_F(BadDatabaseTest, ReadOnly) {
  make_small_log(path_);
  ASSERT_EQ(chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  const CommandOptions nobody{.folder = "/", .is_unprivileged = true};
  const CommandOutput tuned = tune(nobody), asked = query(nobody);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  if (tuned.code == kCannotSetUp) GTEST_SKIP() << "the built program cannot be run by another user";
  expect_refusal(tuned, 5, {"is read-only: make the file and its folder writable"});
  EXPECT_EQ(asked.code, 0) << asked.err;
}

TEST_F(BadDatabaseTest, NoSpaceAtAll) {
  const CommandOutput ran = run_nestwright({"tune", kSmallWorkload, "--trials", "2", "--db", "/dev/full"});
  expect_refusal(ran, 5, {"no space left on its disk", "free some and run again"});
}

TEST_F(BadDatabaseTest, DiskFillsUpDuringARun) {
  const CommandOutput ran =
      run_nestwright({"tune", kSmallWorkload, "--seconds", "60", "--threads", "1", "--batch", "256", "--db", path_},
                     {.small_disk_at = folder_.path()});
  if (ran.code == kCannotSetUp) GTEST_SKIP() << "needs permission to mount";
  expect_failure(ran, 5, {"no space left on its disk", "every acknowledged trial is kept"});
}

TEST(FullOutputTest, IsReported) {
  const CommandOutput ran = run_nestwright({"templates"}, {.stdout_file = "/dev/full"});
  expect_refusal(ran, 1, {"standard output cannot be written"});
}

// Progress and notes are optional: a run succeeds even if they cannot be written.
TEST_F(BadDatabaseTest, AFullOrClosedStandardErrorIsIgnored) {
  const std::vector<std::string> tune = {"tune", kSmallWorkload, "--trials", "2", "--threads", "1", "--db", path_};
  const CommandOutput full = run_nestwright(tune, {.stderr_file = "/dev/full"});
  EXPECT_EQ(full.code, 0) << full.signal;
  EXPECT_THAT(full.out, ::testing::HasSubstr("GFLOP/s"));
  const CommandOutput closed = run_nestwright(tune, {.has_closed_stderr = true});
  EXPECT_EQ(closed.code, 0) << closed.signal;
  EXPECT_THAT(closed.out, ::testing::HasSubstr("GFLOP/s"));
  EXPECT_EQ(run_nestwright({"query", kSmallWorkload, "--threads", "1", "--db", path_}).code, 0)
      << "no message was written into the database";
  EXPECT_EQ(run_nestwright({"tune"}, {.has_closed_stderr = true}).code, 2);
}

}  // namespace
}  // namespace nestwright
