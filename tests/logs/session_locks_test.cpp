#include "logs/session_locks.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "nestwright/error.h"
#include "tests/logs/sample.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class SessionLocksTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
};

// Two SessionLocks simulate two processes: the system keeps their locks apart.
TEST_F(SessionLocksTest, OthersSeeWhatIsHeld) {
  SessionLocks ours(path_);
  const SessionLocks theirs(path_);
  EXPECT_FALSE(theirs.is_held(3)) << "there is no file yet";
  ours.hold(3);
  EXPECT_TRUE(theirs.is_held(3));
  EXPECT_TRUE(theirs.is_any_held());
  EXPECT_FALSE(theirs.is_held(2));
  EXPECT_FALSE(theirs.is_held(4));
}

TEST_F(SessionLocksTest, OneKnowsItsOwn) {
  SessionLocks ours(path_);
  ours.hold(3);
  EXPECT_TRUE(ours.is_held(3));
  EXPECT_FALSE(ours.is_held(4));
}

TEST_F(SessionLocksTest, DoNotWaitForOneThatIsHeldOn) {
  SessionLocks ours(path_), theirs(path_);
  ours.hold(3);
  EXPECT_EQ(message<LogError>([&] { theirs.hold(3); }),
            "session 3 is held by another process in file '" + path_ +
                "-sessions': wait until it has ended, or give another file with --db");
  EXPECT_FALSE(theirs.is_held(4));
  ours.release(3);
  theirs.hold(3);
  EXPECT_TRUE(theirs.is_held(3));
}

TEST_F(SessionLocksTest, ALookTakesNothingAway) {
  SessionLocks ours(path_);
  ours.hold(3);
  EXPECT_FALSE(ours.is_held(4)) << "opens and closes the file";
  const SessionLocks theirs(path_);
  EXPECT_TRUE(theirs.is_held(3));
}

TEST_F(SessionLocksTest, IsFreeOnceReleasedOrGone) {
  const SessionLocks theirs(path_);
  {
    SessionLocks ours(path_);
    ours.hold(3);
    ours.hold(1'000'000'000'000);
    ours.release(3);
    EXPECT_FALSE(theirs.is_held(3));
    EXPECT_TRUE(theirs.is_held(1'000'000'000'000));
  }
  EXPECT_FALSE(theirs.is_held(1'000'000'000'000));
  EXPECT_FALSE(theirs.is_any_held());
}

TEST_F(SessionLocksTest, TheLastOneOutRemovesTheFile) {
  const std::string file = path_ + "-sessions";
  SessionLocks ours(path_), theirs(path_);
  ours.hold(3);
  theirs.hold(4);
  EXPECT_EQ(std::filesystem::file_size(file), 0u);
  ours.release(3);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_TRUE(ours.is_held(4));
  theirs.release(4);
  EXPECT_FALSE(std::filesystem::exists(file));
  ours.hold(5);
  EXPECT_TRUE(theirs.is_held(5)) << "made anew";
}

TEST_F(SessionLocksTest, SaysWhyItCannotLock) {
  SessionLocks nowhere(folder_.file("missing/log.db"));
  EXPECT_EQ(message<LogError>([&] { nowhere.hold(1); }),
            "file '" + folder_.file("missing/log.db-sessions") +
                "', by which sessions are known to be alive, cannot be locked (No such file or directory): make its "
                "folder writable, or give another file with --db");
}

}  // namespace
}  // namespace nestwright
