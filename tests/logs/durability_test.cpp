// Concurrent writers, and writers that are killed.
#include <gmock/gmock.h>

#include <optional>
#include <set>
#include <thread>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "tests/logs/sample.h"
#include "tests/logs/writer_process.h"

namespace nestwright {
namespace {

class DurabilityTest : public ::testing::Test {
 protected:
  /// The points of all recorded trials, each of which must occur once.
  std::set<int> recorded() const {
    std::set<int> points;
    for (const TrialRecord& trial : TuningLog::open(path_, OpenMode::kRead).trials({})) {
      const int point = static_cast<int>(trial.point.config.find("unroll_k")->value[0]);
      EXPECT_TRUE(points.insert(point).second) << "point " << point << " twice";
      EXPECT_EQ(trial.measurement.timing.median_ns, 100 + point);
    }
    return points;
  }
  std::string integrity() const {
    const sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 1000);
    sqlite::Statement check = database.prepare("PRAGMA integrity_check");
    check.step();
    return check.text(0);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
};

TEST_F(DurabilityTest, ProcessesWriteAtOnce) {
  // All of them also create the file.
  WriterProcess a({"write", path_, "0", "150"}), b({"write", path_, "1000", "150"}), c({"write", path_, "2000", "150"});
  for (WriterProcess* writer : {&a, &b, &c}) {
    const std::vector<std::string> lines = writer->read_all();
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.back(), "done");
  }
  EXPECT_EQ(recorded().size(), 450u);
  EXPECT_EQ(integrity(), "ok");
}

TEST_F(DurabilityTest, ProcessesOnTheSamePointsMeasureEachOnce) {
  WriterProcess a({"write", path_, "0", "200"}), b({"write", path_, "0", "200"});
  const std::size_t acknowledged = a.read_all().size() + b.read_all().size();
  EXPECT_EQ(acknowledged, 202u) << "200 acknowledgements and twice 'done'";
  EXPECT_EQ(recorded().size(), 200u);
}

TEST_F(DurabilityTest, ThreadsWithLogsOfTheirOwn) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
      const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
      double ns = 100 + t * 100;
      for (const ProposalId proposal : log.commit_batch(session, 0, points(t * 100, 50)).ids) {
        log.record(session, proposal, timed(ns++));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorded().size(), 200u);
}

TEST_F(DurabilityTest, WhatWasAcknowledgedSurvivesSigkill) {
  std::set<int> acknowledged;
  for (int round = 0; round < 12; ++round) {
    WriterProcess writer({"write", path_, std::to_string(round * 100000), "100000"});
    // Killed after a different number of acknowledgements each time, so at a different place of the next transaction.
    for (int line = 0; line < 1 + round * 7; ++line) acknowledged.insert(std::stoi(writer.read_line().substr(4)));
    usleep(137 * round);
    writer.kill_and_wait();
    for (const std::string& line : writer.read_all()) acknowledged.insert(std::stoi(line.substr(4)));
    EXPECT_EQ(integrity(), "ok");
    const std::set<int> kept = recorded();
    EXPECT_TRUE(std::includes(kept.begin(), kept.end(), acknowledged.begin(), acknowledged.end())) << "round " << round;
    // The last transaction may be durable before its acknowledgement was printed.
    EXPECT_LE(kept.size(), acknowledged.size() + round + 1);
  }
}

TEST_F(DurabilityTest, TheBatchOfAKilledProcessIsTakenOver) {
  WriterProcess writer({"begin", path_, "10", "3"});
  ASSERT_EQ(writer.read_line(), "ack");
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
  EXPECT_FALSE(log.claim_unfinished_batch(session)) << "that process lives";
  writer.kill_and_wait();
  const auto batch = log.claim_unfinished_batch(session);
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->points.size(), 3u);
  EXPECT_EQ(batch->points[2].config.str(), point(12).config.str());
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 1000);
  sqlite::Statement status = database.prepare("SELECT status FROM session ORDER BY id");
  ASSERT_TRUE(status.step());
  EXPECT_EQ(status.text(0), "killed");
  ASSERT_TRUE(status.step());
  EXPECT_EQ(status.text(0), "running");
}

TEST_F(DurabilityTest, AProcessOfAnotherContainerLivesUntilItEnds) {
  WriterProcess writer({"contain", path_, "10", "3"});
  const std::string said = writer.read_line();
  if (said == "cannot unshare") GTEST_SKIP() << said;
  ASSERT_EQ(said, "ack");
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_of(matmul(512, 512, 512)), info());
  EXPECT_FALSE(log.claim_unfinished_batch(session)) << "it cannot be seen, and lives";
  writer.kill_and_wait();
  std::optional<Batch> batch;
  for (int tries = 0; tries < 500 && !batch; ++tries) {
    usleep(10'000);  // the process inside is killed when the one outside has ended
    batch = log.claim_unfinished_batch(session);
  }
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->points.size(), 3u);
}

}  // namespace
}  // namespace nestwright
