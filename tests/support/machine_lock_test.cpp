// Processes that contend for a lock. They are forked, which is safe here: the test has no threads, and its children
// only lock and count.
#include "support/os/machine_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "support/os/scratch_folder.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

bool never() { return false; }

/// The memory that the processes of a test share.
struct Board {
  std::atomic<int> inside{0}, overlaps{0}, turns{0}, waiting{0};
  std::atomic<bool> begin{false};
  std::atomic<int> order[256];
};

class MachineLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("NESTWRIGHT_LOCK_DIR", folder.path().c_str(), 1);
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    board = new (memory) Board;
  }
  void TearDown() override {
    for (const pid_t child : children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    munmap(board, sizeof(Board));
    unsetenv("NESTWRIGHT_LOCK_DIR");
  }

  template <class F>
  pid_t start(F body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      _exit(0);
    }
    children.push_back(child);
    return child;
  }
  void wait_for_all() {
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    children.clear();
  }
  void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::erase(children, child);
  }
  static void await(const std::function<bool()>& condition) {
    const std::int64_t give_up = steady_clock().now_ns() + 20 * kSecond;
    while (!condition() && steady_clock().now_ns() < give_up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(condition());
  }

  /// Takes the lock `turns` times and records the holder of each.
  void take_turns(int who, int turns, std::chrono::milliseconds each) const {
    MachineLock lock("cpu");
    while (!board->begin) std::this_thread::yield();
    for (int i = 0; i < turns; ++i) {
      const MachineLock::Hold hold = lock.hold(never);
      if (++board->inside > 1) ++board->overlaps;
      board->order[board->turns++] = who;
      std::this_thread::sleep_for(each);
      --board->inside;
    }
  }

  ScratchFolder folder{"nestwright-test"};
  Board* board = nullptr;
  std::vector<pid_t> children;
};

TEST_F(MachineLockTest, OneProcessAtATimeHoldsIt) {
  for (int who = 0; who < 3; ++who) start([&, who] { take_turns(who, 15, std::chrono::milliseconds(2)); });
  board->begin = true;
  wait_for_all();
  EXPECT_EQ(board->turns, 45);
  EXPECT_EQ(board->overlaps, 0);
}

TEST_F(MachineLockTest, TwoProcessesAlternate) {
  constexpr int kTurns = 10;
  for (int who = 0; who < 2; ++who) start([&, who] { take_turns(who, kTurns, std::chrono::milliseconds(40)); });
  board->begin = true;
  wait_for_all();
  ASSERT_EQ(board->turns, 2 * kTurns);
  // From when both wait until one of them is done.
  int repeats = 0, first = 0;
  for (int i = 1, counts[2] = {board->order[0] == 0, board->order[0] == 1}; i < 2 * kTurns; ++i) {
    if (counts[0] == kTurns || counts[1] == kTurns) break;
    ++counts[board->order[i]];
    if (board->order[i] == board->order[i - 1]) ++repeats;
    if (first == 0 && board->order[i] != board->order[i - 1]) first = i;
  }
  EXPECT_LE(first, 2) << "the second one gets its turn at once";
  EXPECT_LE(repeats, 2) << "a process that is not running for 40 ms may miss one";
}

TEST_F(MachineLockTest, TheDeathOfItsHolderFreesIt) {
  const pid_t holder = start([&] {
    MachineLock lock("cpu");
    const MachineLock::Hold hold = lock.hold(never);
    board->inside = 1;
    for (;;) pause();
  });
  await([&] { return board->inside == 1; });
  MachineLock lock("cpu");
  int asked = 0;
  EXPECT_FALSE(lock.hold([&] { return ++asked == 3; }).is_granted());
  end(holder);
  EXPECT_TRUE(lock.hold([&] { return ++asked > 1000; }).is_granted());
}

TEST_F(MachineLockTest, TheDeathOfOneThatWaitsFreesTheQueue) {
  MachineLock lock("cpu");
  {
    const MachineLock::Hold hold = lock.hold(never);
    const pid_t waiter = start([&] {
      MachineLock own("cpu");
      own.hold([&] { return ++board->waiting, false; });
    });
    await([&] { return board->waiting > 1; });
    end(waiter);
  }
  int asked = 0;
  EXPECT_TRUE(lock.hold([&] { return ++asked > 1000; }).is_granted());
}

TEST_F(MachineLockTest, WaitingEndsWhenItIsGivenUp) {
  MachineLock one("cpu"), other("cpu");
  const MachineLock::Hold hold = one.hold(never);
  ASSERT_TRUE(hold.is_granted());
  int asked = 0;
  const std::int64_t start_ns = steady_clock().now_ns();
  EXPECT_FALSE(other.hold([&] { return ++asked == 5; }).is_granted());
  EXPECT_EQ(asked, 5);
  EXPECT_GE(steady_clock().now_ns() - start_ns, 40'000'000) << "asked every 10 ms";
}

TEST_F(MachineLockTest, AWaitThatWasGivenUpLeavesNothingBehind) {
  MachineLock one("cpu"), other("cpu");
  {
    const MachineLock::Hold hold = one.hold(never);
    EXPECT_FALSE(other.hold([] { return true; }).is_granted());
  }
  EXPECT_TRUE(one.hold([] { return true; }).is_granted());
  EXPECT_TRUE(other.hold([] { return true; }).is_granted());
}

TEST_F(MachineLockTest, DevicesHaveLocksOfTheirOwn) {
  MachineLock cpu("cpu"), cuda("cuda-0");
  const MachineLock::Hold hold = cpu.hold(never);
  EXPECT_TRUE(cuda.hold([] { return true; }).is_granted());
  EXPECT_EQ(cpu.path(), folder.path() + "/nestwright-cpu.lock");
  EXPECT_EQ(cuda.path(), folder.path() + "/nestwright-cuda-0.lock");
}

TEST_F(MachineLockTest, AHoldThatWasMovedIsReleasedOnce) {
  MachineLock one("cpu"), other("cpu");
  {
    MachineLock::Hold hold = one.hold(never);
    const MachineLock::Hold moved = std::move(hold);
    EXPECT_TRUE(moved.is_granted());
    EXPECT_FALSE(other.hold([] { return true; }).is_granted());
  }
  EXPECT_TRUE(other.hold([] { return true; }).is_granted());
}

TEST_F(MachineLockTest, OtherUsersMayOpenItsFiles) {
  const mode_t before = umask(077);
  const MachineLock lock("cpu");
  umask(before);
  struct stat status{};
  for (const std::string name : {"/nestwright-cpu.lock", "/nestwright-cpu.queue.lock"}) {
    ASSERT_EQ(stat((folder.path() + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0666u) << name;
  }
}

TEST_F(MachineLockTest, AProcessThatIsStartedMeanwhileDoesNotInheritIt) {
  MachineLock lock("cpu"), other("cpu");
  pid_t child = 0;
  {
    const MachineLock::Hold hold = lock.hold(never);
    child = start([] { execl("/bin/sleep", "sleep", "100", nullptr); });
    await([&] {
      std::ifstream name("/proc/" + std::to_string(child) + "/comm");
      std::string text;
      return std::getline(name, text) && text == "sleep";
    });
  }
  EXPECT_TRUE(other.hold([] { return true; }).is_granted());
}

TEST_F(MachineLockTest, SaysWhereNoFolderWillDo) {
  setenv("NESTWRIGHT_LOCK_DIR", "/no/such/folder", 1);
  MachineLock lock("cpu");
  EXPECT_FALSE(lock.is_available());
  EXPECT_EQ(lock.message(),
            "no lock file for taking turns with other tuners of this machine can be opened in /no/such/folder (No such "
            "file or directory): set NESTWRIGHT_LOCK_DIR to a folder that all of them can write, or run one at a time");
  EXPECT_EQ(lock.path(), "");
  EXPECT_TRUE(lock.hold([] { return true; }).is_granted()) << "there is nobody to wait for";
}

TEST_F(MachineLockTest, FollowsNoLinkAndTakesNoFolder) {
  std::filesystem::create_symlink("/dev/null", folder.path() + "/nestwright-cpu.lock");
  EXPECT_THAT(MachineLock("cpu").message(), HasSubstr(folder.path() + " (Too many levels of symbolic links)"));
  std::filesystem::create_directory(folder.path() + "/nestwright-cuda-0.lock");
  EXPECT_THAT(MachineLock("cuda-0").message(), HasSubstr(folder.path() + " (Invalid argument)"));
}

TEST_F(MachineLockTest, ItsNameIsPlain) {
  for (const char* what : {"", "../cpu", "CPU", "cuda 0"}) {
    EXPECT_THAT(message<InternalError>([&] { MachineLock lock(what); }),
                HasSubstr("a machine lock is named by small letters, digits and '-'"))
        << what;
  }
}

}  // namespace
}  // namespace nestwright
