// Repairing keeps what can be read, whichever page of the file is damaged.
#include "logs/upkeep/repair.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "logs/schema.h"
#include "nestwright/error.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RepairTest : public TwoLogs {
 protected:
  void SetUp() override {
    std::vector<std::pair<int, Measurement>> many;
    for (int i = 0; i < 60; ++i) many.emplace_back(i, timed(100 + i));
    race(a_, record(a_, task_, "2026-01-01", many), "2026-01-01", {100, 101});
    record(a_, task_of(matmul(64, 64, 64)), "2026-01-02", {{1, timed(5)}, {2, failed(Outcome::kCrash, "it crashed")}});
    execute(a_, "PRAGMA wal_checkpoint(TRUNCATE)");
  }
  std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Makes `b_` a copy of `a_` with one page overwritten.
  void damage(std::size_t page, char byte) {
    std::string bytes = content(a_);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, byte);
    std::ofstream(b_, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::size_t pages() { return std::filesystem::file_size(a_) / kPage; }
  static const RepairedTable& of(const std::vector<RepairedTable>& tables, const std::string& name) {
    return *std::find_if(tables.begin(), tables.end(), [&](const RepairedTable& table) { return table.name == name; });
  }
  /// The page that is the root of a table or an index.
  std::size_t root(const std::string& name) {
    return static_cast<std::size_t>(value(a_, "SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'")) - 1;
  }

  static constexpr std::size_t kPage = 4096;
  std::string out_ = folder_.file("out.db");
};

TEST_F(RepairTest, ASoundDatabaseStaysAsItIs) {
  const std::vector<RepairedTable> tables = repair_log(a_, out_);
  for (const RepairedTable& table : tables) {
    EXPECT_TRUE(table.is_found) << table.name;
    EXPECT_EQ(table.unreadable + table.dropped + table.restored, 0) << table.name;
  }
  EXPECT_EQ(of(tables, "trial").kept, 62);
  expect_whole(out_);
  EXPECT_EQ(times(out_, task_), times(a_, task_));
  EXPECT_EQ(number_of(TuningLog::open(out_, OpenMode::kRead).best(filter_of(task_))->point), 0);
}

TEST_F(RepairTest, AnyPageMayBeDamaged) {
  ASSERT_GT(pages(), 40u);
  int with_trials = 0, repaired = 0;
  for (std::size_t page = 1; page < pages(); page += 3) {
    damage(page, page % 2 == 1 ? 'x' : '\0');
    const std::string before = content(b_);
    std::filesystem::remove(out_);
    SCOPED_TRACE(page);
    try {
      repair_log(b_, out_);
    } catch (const LogError& error) {
      EXPECT_THAT(error.what(), HasSubstr("says where its tables are"));
      continue;
    }
    ++repaired;
    EXPECT_TRUE(content(b_) == before) << "the damaged file was changed";
    expect_whole(out_);
    with_trials += times(out_, task_).size() > 30;
    TuningLog::open(out_, OpenMode::kWrite, {.check = true});
  }
  EXPECT_GT(repaired, static_cast<int>(pages()) / 4);
  EXPECT_GT(with_trials, repaired / 2);
}

TEST_F(RepairTest, LostSessionsAreMadeAgainForTheirTrials) {
  damage(root("session"), 'x');
  const std::vector<RepairedTable> tables = repair_log(b_, out_);
  EXPECT_EQ(of(tables, "session").restored, 2);
  EXPECT_EQ(of(tables, "session").kept, 0);
  EXPECT_EQ(of(tables, "trial").kept, 62);
  EXPECT_EQ(times(out_, task_), times(a_, task_));
  EXPECT_EQ(value(out_, "SELECT count(*) FROM session WHERE reason = '" + std::string(kLostSession) + "'"), 2);
  EXPECT_EQ(number_of(TuningLog::open(out_, OpenMode::kRead).best(filter_of(task_))->point), 0) << "the race's";
}

TEST_F(RepairTest, LostBatchesAreMadeAgainForTheirTrials) {
  damage(root("batch"), '\0');
  EXPECT_EQ(of(repair_log(b_, out_), "batch").restored, 2);
  EXPECT_EQ(times(out_, task_), times(a_, task_));
  TuningLog log = TuningLog::open(out_, OpenMode::kWrite);
  EXPECT_EQ(log.next_batch_number(task_), 0);
}

TEST_F(RepairTest, LostTasksAreReadFromTheirIndex) {
  for (const char* table : {"target", "task", "space"}) {
    damage(root(table), 'x');
    std::filesystem::remove(out_);
    const std::vector<RepairedTable> tables = repair_log(b_, out_);
    EXPECT_EQ(of(tables, table).unreadable, 0) << table;
    EXPECT_EQ(times(out_, task_), times(a_, task_)) << table;
  }
}

TEST_F(RepairTest, ATableThatIsLostIsNamed) {
  damage(root("proposal"), 'x');
  const std::vector<RepairedTable> tables = repair_log(b_, out_);
  EXPECT_EQ(of(tables, "proposal").kept, 0);
  EXPECT_GE(of(tables, "proposal").unreadable, 62);
  EXPECT_EQ(of(tables, "trial").dropped, 62);
  expect_whole(out_);
}

TEST_F(RepairTest, RowsThatOnlyAnIndexStillHasAreCounted) {
  // The page of the last rows is replaced by that of the first ones, so that the table seems to end early.
  std::string bytes = content(a_);
  const std::size_t page = root("trial") * kPage;
  ASSERT_EQ(bytes[page], 5) << "the root has pages below it";
  const auto cell = (static_cast<unsigned char>(bytes[page + 12]) << 8) + static_cast<unsigned char>(bytes[page + 13]);
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(page) + cell, 4,
              bytes.begin() + static_cast<std::ptrdiff_t>(page) + 8);
  std::ofstream(b_, std::ios::binary | std::ios::trunc) << bytes;
  const RepairedTable trials = of(repair_log(b_, out_), "trial");
  EXPECT_LT(trials.kept, 62);
  EXPECT_GT(trials.kept, 30);
  EXPECT_EQ(trials.kept + trials.unreadable, 62);
  expect_whole(out_);
}

TEST_F(RepairTest, AHugeNumberOfARowIsNoLimit) {
  execute(a_,
          "INSERT INTO machine_limit(rowid, machine, fma_gflops, read_gb_s, recorded_at)"
          " VALUES (1 << 60, 'm', 1, 2, '2026'), (7, 'n', 1, 2, '2026')");
  const RepairedTable limits = of(repair_log(a_, out_), "machine_limit");
  EXPECT_EQ(limits.kept, 2);
  EXPECT_EQ(limits.unreadable, 0);
}

TEST_F(RepairTest, RowsThatBreakARuleAreCountedAndDamagedReadingsLeftOut) {
  execute(a_,
          "PRAGMA ignore_check_constraints = ON; UPDATE trial SET samples_ns = '[1, 2', resources = '{' WHERE id = 2;"
          "UPDATE proposal SET knobs = '{' WHERE id = 3");
  const std::vector<RepairedTable> tables = repair_log(a_, out_);
  EXPECT_EQ(of(tables, "trial").kept, 61);
  EXPECT_EQ(of(tables, "proposal").kept, 61);
  EXPECT_EQ(of(tables, "proposal").dropped, 1);
  EXPECT_EQ(of(tables, "proposal").unreadable, 0);
  EXPECT_EQ(of(tables, "trial").dropped, 1) << "that of the proposal";
  EXPECT_EQ(value(out_, "SELECT samples_ns = '[]' AND resources IS NULL AND raw_ns <> '[]' FROM trial WHERE id = 2"),
            1);
  expect_whole(out_);
}

TEST_F(RepairTest, WithoutAVersionTheSchemaIsTheNewest) {
  for (const char* version : {"-1", "0"}) {
    execute(a_, std::string("PRAGMA user_version = ") + version);
    std::filesystem::remove(out_);
    EXPECT_EQ(of(repair_log(a_, out_), "trial").kept, 62) << version;
    EXPECT_EQ(value(out_, "PRAGMA user_version"), log_migrations().back().to_version);
  }
}

TEST_F(RepairTest, AnOlderSchemaIsMigrated) {
  const std::string old = folder_.file("old.db");
  {
    sqlite::Database database(old, old, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1000);
    migrate(database, log_migrations().first(5));
    database.execute(
        "INSERT INTO target VALUES (1, 'cpu,isa=avx512,threads=2', 'made-up machine', 'LLVM 19.1.7', 2);"
        "INSERT INTO workload VALUES (1, 'matmul m=512 n=512 k=512', 'matmul', 'float32', '{}', 1);"
        "INSERT INTO task VALUES (1, 1, 1, 0, 'warm', 'small', 'none');"
        "INSERT INTO session VALUES (1, 1, '1', 's', 'c', '{}', 'done', '', 'o', '2025', NULL)");
  }
  EXPECT_EQ(of(repair_log(old, out_), "session").kept, 1);
  expect_whole(out_);
  EXPECT_EQ(value(out_, "PRAGMA user_version"), log_migrations().back().to_version);
}

TEST_F(RepairTest, OtherFilesAreRefused) {
  EXPECT_THAT([&] { repair_log(folder_.file("none.db"), out_); }, ThrowsMessage<LogError>(HasSubstr("does not exist")));
  EXPECT_THAT([&] { repair_log(a_, a_); }, ThrowsMessage<LogError>(HasSubstr("exists: name another one")));
  std::ofstream(folder_.file("text")) << "no database";
  EXPECT_THAT([&] { repair_log(folder_.file("text"), out_); },
              ThrowsMessage<LogError>(HasSubstr("is not a database of nestwright")));
  {
    sqlite::Database(b_, b_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1000).execute("CREATE TABLE t(x)");
  }
  EXPECT_THAT([&] { repair_log(b_, out_); }, ThrowsMessage<LogError>(HasSubstr("is not a database of nestwright")));
  execute(a_, "PRAGMA user_version = 1000");
  EXPECT_THAT([&] { repair_log(a_, out_); }, ThrowsMessage<LogError>(HasSubstr("use a newer nestwright")));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace nestwright
