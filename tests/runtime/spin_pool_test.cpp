// The pool of the library's own threads: each task runs once whatever the delays, and the caller never waits for a
// thread that has not begun, was refused, was lost in a fork, or was displaced by another process. Its threads run on
// processors of their own.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "nestwright/parallel_pool.h"
#include "runtime/awake_threads.h"
#include "support/base/sanitizer.h"

namespace nestwright {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::chrono::seconds kTimeout{20};

using Body = std::function<void(int task, int thread)>;

void run(const ParallelPool& pool, int tasks, const Body& body) {
  pool.abi()->run(
      pool.abi()->pool, tasks,
      [](std::int32_t task, std::int32_t thread, void* closure) { (*static_cast<const Body*>(closure))(task, thread); },
      const_cast<Body*>(&body));
}

/// Whether the condition became true within kTimeout.
bool wait_until(const std::function<bool()>& condition) {
  const auto end = Clock::now() + kTimeout;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

void work_for(microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

TEST(SpinPool, RunsEachTaskOnceWhateverTheDelays) {
  std::mt19937 random(7);
  for (const int threads : {2, 3, 8}) {
    const auto pool = make_pool(PoolKind::kSpin, threads);
    for (int round = 0; round < 400; ++round) {
      const int tasks = static_cast<int>(random() % (round % 20 == 0 ? 1000 : 24));
      const auto most = static_cast<unsigned>(random() % 20);
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
      std::atomic<int> clashes{0};
      run(*pool, tasks, [&](int task, int thread) {
        if (inside.at(static_cast<std::size_t>(thread)).fetch_add(1) != 0) ++clashes;
        const unsigned delay = (static_cast<unsigned>(task + round) * 2654435761U >> 16) % (most + 1);
        if (tasks < 100) work_for(microseconds(delay));
        ++runs.at(static_cast<std::size_t>(task));
        --inside.at(static_cast<std::size_t>(thread));
      });
      ASSERT_THAT(std::vector<int>(runs.begin(), runs.end()), ::testing::Each(1)) << threads << " " << tasks;
      ASSERT_EQ(clashes, 0) << "two tasks ran at once with one thread number";
      // Threads fall asleep after 50 us: tests just before, during and long after that.
      if (round % 3 == 0) work_for(microseconds(random() % 120));
    }
  }
}

TEST(SpinPool, AThreadThatIsHeldUpKeepsItsTaskOnly) {
  for (const int threads : {2, 4}) {
    const auto pool = make_pool(PoolKind::kSpin, threads);
    constexpr int kTasks = 40;
    std::atomic<int> ended{0};
    std::atomic<bool> is_held{false}, was_released{false};
    run(*pool, kTasks, [&](int, int thread) {
      if (thread != 0 && !is_held.exchange(true)) {
        was_released = wait_until([&] { return ended == kTasks - 1; });
      } else {
        EXPECT_TRUE(wait_until([&] { return is_held.load(); })) << "no other thread has begun";
      }
      ++ended;
    });
    EXPECT_TRUE(was_released) << "of " << kTasks << " tasks " << ended << " ended beside the one that is held up";
    EXPECT_EQ(ended, kTasks);
  }
}

TEST(SpinPool, TheCallerIsHelpedWithItsShare) {
  const auto pool = make_pool(PoolKind::kSpin, 2);
  std::atomic<int> ended{0};
  bool were_others_done = false;
  run(*pool, 40, [&](int task, int) {
    if (task == 0) were_others_done = wait_until([&] { return ended == 39; });
    ++ended;
  });
  EXPECT_TRUE(were_others_done);
}

TEST(SpinPool, ASecondCallerRunsItsLoopAlone) {
  const auto pool = make_pool(PoolKind::kSpin, 2);
  std::atomic<bool> is_done{false};
  std::vector<int> threads_of_second;
  std::thread second;
  run(*pool, 2, [&](int task, int) {
    if (task != 0) return;
    second = std::thread([&] {
      run(*pool, 5, [&](int, int thread) { threads_of_second.push_back(thread); });
      is_done = true;
    });
    EXPECT_TRUE(wait_until([&] { return is_done.load(); })) << "it waits for the first caller's loop";
  });
  second.join();
  EXPECT_EQ(threads_of_second, std::vector<int>(5, 0));
}

/// Returns how many of two threads were inside a task at the same time.
int meet(const ParallelPool& pool, std::chrono::milliseconds timeout) {
  std::atomic<int> there{0};
  run(pool, 2, [&](int, int) {
    ++there;
    const auto end = Clock::now() + timeout;
    while (there < 2 && Clock::now() < end) std::this_thread::yield();
  });
  return there;
}

/// Returns the result of `child` in a forked process.
int code_of_child(const std::function<int()>& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(SpinPool, StartsThreadsOfItsOwnInTheChildOfAFork) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down, and its runtime has some of its own";
  const auto pool = make_pool(PoolKind::kSpin, 2);
  ASSERT_EQ(meet(*pool, kTimeout), 2);
  const auto child = [&] {
    const auto own = make_pool(PoolKind::kSpin, 2);
    return meet(*pool, kTimeout) == 2 && meet(*own, kTimeout) == 2 ? 0 : 1;
  };
  EXPECT_EQ(code_of_child(child), 0);
  EXPECT_EQ(code_of_child([&] { return code_of_child(child); }), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(code_of_child(child), 0) << "its thread was asleep";
  EXPECT_EQ(meet(*pool, kTimeout), 2);
}

TEST(SpinPool, WithoutThreadsTheCallerRunsAllTasks) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down, and its runtime has some of its own";
  const int code = code_of_child([] {
    const auto pool = make_pool(PoolKind::kSpin, 3);
    const rlimit none{1, 1};
    if (setrlimit(RLIMIT_AS, &none) != 0) return 2;  // no memory for stacks
    int sum = 0;
    for (int round = 0; round < 2; ++round) {
      run(*pool, 7, [&](int task, int thread) { sum += thread == 0 ? task : 100; });
    }
    return sum == 42 ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

cpu_set_t mask_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(thread, sizeof mask, &mask), 0);
  return mask;
}

void set_mask(pid_t thread, const cpu_set_t& mask) { ASSERT_EQ(sched_setaffinity(thread, sizeof mask, &mask), 0); }

void pin(pid_t thread, int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  set_mask(thread, cores);
}

std::vector<int> cores_of(const cpu_set_t& mask) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &mask)) cores.push_back(core);
  }
  return cores;
}

struct Place {
  pid_t thread = 0;
  int core = -1;
};

/// Returns where each thread of the pool runs its task of a loop whose tasks wait for each other.
std::vector<Place> places(const ParallelPool& pool) {
  std::vector<Place> result(static_cast<std::size_t>(pool.threads()));
  std::atomic<int> there{0};
  run(pool, pool.threads(), [&](int, int thread) {
    result[static_cast<std::size_t>(thread)] = {static_cast<pid_t>(syscall(SYS_gettid)), sched_getcpu()};
    ++there;
    wait_until([&] { return there == pool.threads(); });
  });
  return result;
}

class Placement : public ::testing::Test {
 protected:
  /// A busy machine may bring threads together again before they are seen apart.
  static constexpr int kRounds = 16, kEnough = 3;

  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down";
    if (cores_.size() < 2) GTEST_SKIP() << "there is one core";
  }
  void TearDown() override { set_mask(0, allowed_); }

  /// Has both threads of the pool run on the first core, so that the other one sleeps there.
  void put_together(const ParallelPool& pool, pid_t worker) {
    pin(0, cores_[0]);
    pin(worker, cores_[0]);
    EXPECT_EQ(places(pool)[1].core, cores_[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  const cpu_set_t allowed_ = mask_of(0);
  const std::vector<int> cores_ = cores_of(allowed_);
};

TEST_F(Placement, AThreadLeavesTheProcessorOfTheCallerAndGetsItsMaskBack) {
  const auto pool = make_pool(PoolKind::kSpin, 2);
  const pid_t worker = places(*pool)[1].thread;
  int apart = 0;
  for (int round = 0; round < kRounds && apart < kEnough; ++round) {
    put_together(*pool, worker);
    set_mask(worker, allowed_);
    apart += places(*pool)[1].core != cores_[0];
    EXPECT_TRUE(wait_until([&] { return cores_of(mask_of(worker)) == cores_; })) << "it stays pinned";
    EXPECT_EQ(cores_of(mask_of(0)), std::vector<int>{cores_[0]}) << "the caller's mask is the user's";
  }
  EXPECT_EQ(apart, kEnough);
}

TEST_F(Placement, AMaskOfTheUserStays) {
  const auto pool = make_pool(PoolKind::kSpin, 2);
  const pid_t worker = places(*pool)[1].thread;
  put_together(*pool, worker);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(places(*pool)[1].core, cores_[0]) << "the only one that it may use";
    EXPECT_EQ(cores_of(mask_of(worker)), std::vector<int>{cores_[0]});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(Placement, WithFewerProcessorsThanThreadsMasksStay) {
  pin(0, cores_[0]);
  const auto pool = make_pool(PoolKind::kSpin, 3);
  for (int round = 0; round < 3; ++round) {
    for (const Place& place : places(*pool)) {
      EXPECT_EQ(place.core, cores_[0]);
      EXPECT_EQ(cores_of(mask_of(place.thread)), std::vector<int>{cores_[0]});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_F(Placement, ThreadsStayApartFromEachOther) {
  if (cores_.size() < 3) GTEST_SKIP() << "there are two cores";
  const auto pool = make_pool(PoolKind::kSpin, 3);
  const std::vector<Place> before = places(*pool);
  int apart = 0;
  for (int round = 0; round < kRounds && apart < kEnough; ++round) {
    pin(0, cores_[0]);
    for (const std::size_t thread : {1, 2}) pin(before[thread].thread, cores_[0]);
    places(*pool);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (const std::size_t thread : {1, 2}) set_mask(before[thread].thread, allowed_);
    const std::vector<Place> after = places(*pool);
    apart += after[1].core != cores_[0] && after[2].core != cores_[0] && after[1].core != after[2].core;
  }
  EXPECT_EQ(apart, kEnough);
}

/// Returns the median time of a loop of 8 tasks on the pool relative to one on the caller's thread, alternating, with
/// pauses in which other threads fall asleep. A task is about 10 us of work.
double time_against_serial(const ParallelPool& pool) {
  std::vector<double> serial, split;
  const Body task = [](int, int) {
    for (volatile int step = 0; step < 10'000;) step = step + 1;
  };
  const auto time = [](const std::function<void()>& loop) {
    work_for(microseconds(100));
    const auto start = Clock::now();
    loop();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (int i = 0; i < 301; ++i) {
    split.push_back(time([&] { run(pool, 8, task); }));
    serial.push_back(time([&] {
      for (int t = 0; t < 8; ++t) task(t, 0);
    }));
  }
  for (std::vector<double>* times : {&serial, &split})
    std::nth_element(times->begin(), times->begin() + 150, times->end());
  return split[150] / serial[150];
}

TEST(SpinPool, ABusyProcessOnTheOtherCoreDoesNotDelayTheCaller) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down, and its runtime has some of its own";
  const cpu_set_t allowed = mask_of(0);
  const std::vector<int> cores = cores_of(allowed);
  if (cores.size() < 2) GTEST_SKIP() << "there is one core";

  const auto pool = make_pool(PoolKind::kSpin, 2);
  const pid_t worker = places(*pool)[1].thread;
  ASSERT_NE(worker, 0);
  const pid_t busy = fork();
  if (busy == 0) {
    pin(0, cores[1]);
    for (volatile bool forever = true; forever;) {
    }
  }
  pin(worker, cores[1]);
  pin(0, cores[0]);
  double ratio = time_against_serial(*pool);
  // Concurrent tests may disturb some of the loops, but a pool that waits is slow every time.
  for (int again = 0; again < 2 && ratio > 1.3; ++again) ratio = time_against_serial(*pool);
  kill(busy, SIGKILL);
  waitpid(busy, nullptr, 0);
  set_mask(0, allowed);
  EXPECT_LT(ratio, 1.3);
}

/// How often a thread of this process has gone to sleep.
int sleeps_of(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  const std::string wanted = "voluntary_ctxt_switches:";
  for (std::string word; status >> word;) {
    if (word != wanted) continue;
    int count = 0;
    status >> count;
    return count;
  }
  return -1;
}

TEST(SpinPool, ThreadsStayAwakeBetweenLoopsThatFollowEachOther) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down";
  const auto pool = make_pool(PoolKind::kSpin, 2);
  const pid_t worker = places(*pool)[1].thread;
  const auto sleeps = [&](bool is_awake) {
    std::optional<AwakeThreads> awake;
    if (is_awake) awake.emplace(*pool);
    meet(*pool, kTimeout);
    const int before = sleeps_of(worker);
    for (int loop = 0; loop < 20; ++loop) {
      work_for(microseconds(500));
      meet(*pool, kTimeout);
    }
    return sleeps_of(worker) - before;
  };
  // On a busy machine threads wait for processors instead, or for a caller that has none for 10 ms.
  int asleep = 0, awake = 0;
  bool is_seen = false;
  for (int attempt = 0; attempt < 100 && !is_seen; ++attempt) {
    asleep = sleeps(false);
    awake = sleeps(true);
    is_seen = asleep >= 10 && awake <= asleep / 4;
  }
  EXPECT_TRUE(is_seen) << asleep << " sleeps, " << awake << " where the thread is kept awake";
}

TEST(SpinPool, ThreadsThatAreKeptAwakeSleepInTheEnd) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer slows threads down";
  const auto pool = make_pool(PoolKind::kSpin, 2);
  const pid_t worker = places(*pool)[1].thread;
  const AwakeThreads awake(*pool);
  meet(*pool, kTimeout);
  const int before = sleeps_of(worker);
  EXPECT_TRUE(wait_until([&] { return sleeps_of(worker) > before; })) << "it spins for more than 10 ms";
}

}  // namespace
}  // namespace nestwright
