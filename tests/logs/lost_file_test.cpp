// A database that is removed or replaced while it is in use: the next write detects it, and nothing is lost.
#include <gmock/gmock.h>

#include <fstream>

#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class LostFileTest : public ::testing::Test {
 protected:
  LostFileTest() {
    for (int i = 0; i < 2; ++i) record(i);
  }

  void record(int i) { log_.record(session_, batch_.ids[static_cast<std::size_t>(i)], timed(100 + i)); }
  std::string refusal() {
    return message<LogError>([&] { record(2); });
  }
  std::string expected(const std::string& what, const std::string& rescued) const {
    return "database '" + path_ + "' was " + what + " while it was in use: all that was recorded is in '" + rescued +
           "' now; run again with --db " + rescued;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db"), rescued_ = path_ + "-rescued";
  TuningLog log_ = TuningLog::open(path_, OpenMode::kWrite);
  SessionId session_ = log_.begin_session(task_of(matmul(512, 512, 512)), info());
  Batch batch_ = log_.commit_batch(session_, 0, points(0, 4));
};

TEST_F(LostFileTest, Removed) {
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), expected("removed", rescued_));
  EXPECT_EQ(TuningLog::open(rescued_, OpenMode::kRead).trials({}).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LostFileTest, Replaced) {
  std::filesystem::rename(path_, folder_.file("elsewhere"));
  std::ofstream(path_) << "somebody else's";
  EXPECT_EQ(refusal(), expected("replaced", rescued_));
  EXPECT_EQ(TuningLog::open(rescued_, OpenMode::kRead).trials({}).size(), 2u);
  EXPECT_EQ(std::filesystem::file_size(path_), 15u) << "left as it is";
}

TEST_F(LostFileTest, IsSavedOnceAndBesideWhatWasSavedBefore) {
  std::ofstream(rescued_) << "of another day";
  std::filesystem::remove(path_);
  const std::string first = refusal();
  EXPECT_EQ(first, expected("removed", rescued_ + "-2"));
  EXPECT_EQ(refusal(), first);
  EXPECT_FALSE(std::filesystem::exists(rescued_ + "-3"));
}

TEST_F(LostFileTest, WhatWasSavedGoesOnWhereItWas) {
  std::filesystem::remove(path_);
  refusal();
  TuningLog again = TuningLog::open(rescued_, OpenMode::kWrite);
  const SessionId session = again.begin_session(task_of(matmul(512, 512, 512)), info());
  const auto batch = again.claim_unfinished_batch(session);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->points.size(), 2u);
}

}  // namespace
}  // namespace nestwright
