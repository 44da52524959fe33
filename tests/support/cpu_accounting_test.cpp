#include "support/os/cpu_accounting.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "support/base/clock.h"
#include "support/os/process.h"
#include "support/os/scratch_folder.h"
#include "support/os/steal_time.h"

namespace nestwright {
namespace {

constexpr double kMillisecond = 1e6;

void compute_for_cpu_ms(double ms) {
  CpuAccounting accounting;
  const double end = accounting.now().cpu_ns + ms * kMillisecond;
  while (accounting.now().cpu_ns < end) {
  }
}

/// A folder like /proc/self/task whose threads' waits the test sets.
class FakeTasks {
 public:
  void set(const std::string& thread, const std::string& schedstat) const {
    std::filesystem::create_directories(path() + "/" + thread);
    std::ofstream(path() + "/" + thread + "/schedstat") << schedstat;
  }
  void end(const std::string& thread) const {  // open files of the thread then read as empty
    std::ofstream(path() + "/" + thread + "/schedstat", std::ios::trunc);
    std::filesystem::remove_all(path() + "/" + thread);
  }
  std::string path() const { return folder_.path(); }

 private:
  ScratchFolder folder_{"nestwright-test"};
};

TEST(CpuAccounting, CountsTheProcessorTimeOfTheProcess) {
  CpuAccounting accounting;
  const CpuUsage before = accounting.now();
  compute_for_cpu_ms(20);
  const double computed = (accounting.now() - before).cpu_ns;
  EXPECT_GE(computed, 20 * kMillisecond);
  EXPECT_LT(computed, 500 * kMillisecond);
  const CpuUsage asleep = accounting.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT((accounting.now() - asleep).cpu_ns, 40 * kMillisecond);
}

TEST(CpuAccounting, SumsTheWaitsOfAllThreadsSinceTheyWereListed) {
  const FakeTasks tasks;
  tasks.set("10", "5000 700 3\n");
  tasks.set("11", "5000 90 3\n");
  CpuAccounting accounting(tasks.path());
  EXPECT_EQ(accounting.now().wait_ns, 0);
  tasks.set("10", "6000 1700 4\n");
  tasks.set("11", "6000 92 4\n");
  EXPECT_EQ(accounting.now().wait_ns, 1002);
}

TEST(CpuAccounting, ThreadsStartedLaterCountOnceTheyAreListed) {
  const FakeTasks tasks;
  tasks.set("10", "0 100 1\n");
  CpuAccounting accounting(tasks.path());
  tasks.set("12", "0 5000 1\n");
  EXPECT_EQ(accounting.now().wait_ns, 0);
  accounting.list_threads();
  EXPECT_EQ(accounting.now().wait_ns, 0) << "what it waited before is not counted";
  tasks.set("12", "0 5030 1\n");
  EXPECT_EQ(accounting.now().wait_ns, 30);
}

TEST(CpuAccounting, TheWaitOfThreadsThatEndedStays) {
  const FakeTasks tasks;
  tasks.set("10", "0 100 1\n");
  tasks.set("11", "0 100 1\n");
  CpuAccounting accounting(tasks.path());
  tasks.set("11", "0 400 1\n");
  EXPECT_EQ(accounting.now().wait_ns, 300);
  tasks.end("11");
  EXPECT_EQ(accounting.now().wait_ns, 300);
  accounting.list_threads();
  EXPECT_EQ(accounting.now().wait_ns, 300);
  tasks.set("11", "0 7 1\n");  // another thread with the same id
  accounting.list_threads();
  tasks.set("11", "0 9 1\n");
  EXPECT_EQ(accounting.now().wait_ns, 302);
}

TEST(CpuAccounting, WhatTheKernelDoesNotTellIsZero) {
  CpuAccounting missing("/no/such/folder");
  EXPECT_EQ(missing.now().wait_ns, 0);
  const FakeTasks tasks;
  tasks.set("10", "no numbers\n");
  CpuAccounting unreadable(tasks.path());
  tasks.set("10", "0 900 1\n");
  EXPECT_EQ(unreadable.now().wait_ns, 0);
}

TEST(CpuAccounting, SeesThreadsOfThisProcessWaitForOneCore) {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) GTEST_SKIP() << "the kernel does not tell";
  // Two threads that compute on one core: one of them always waits.
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::latch begin(1), listed(1), done(1);
  std::thread other([&] {
    begin.count_down();
    listed.wait();
    const std::int64_t end = steady_clock().now_ns() + 100'000'000;
    while (steady_clock().now_ns() < end) {
    }
    done.wait();
  });
  begin.wait();
  CpuAccounting accounting;
  const CpuUsage before = accounting.now();
  listed.count_down();
  const std::int64_t end = steady_clock().now_ns() + 100'000'000;
  while (steady_clock().now_ns() < end) {
  }
  const CpuUsage used = accounting.now() - before;
  done.count_down();
  other.join();
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_GT(used.wait_ns, 30 * kMillisecond);
  EXPECT_GT(used.involuntary_switches, 0);
}

TEST(CpuAccounting, ASnapshotIsCheap) {
  CpuAccounting accounting;
  double best = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t start = steady_clock().now_ns();
    accounting.now();
    best = std::min(best, static_cast<double>(steady_clock().now_ns() - start));
  }
  RecordProperty("ns", static_cast<int>(best));
  EXPECT_LT(best, 30e3) << "unlike opening and listing /proc anew";
}

TEST(ChildCpuTime, GrowsWhileTheChildComputesAndEndsWithIt) {
  SpawnOptions options{"/bin/sh", {"-c", "while :; do :; done"}, {}, {}};
  ChildProcess child(options);
  const std::int64_t give_up = steady_clock().now_ns() + 20'000'000'000;
  while (child_cpu_ns(child.pid()).value_or(0) < 20 * kMillisecond && steady_clock().now_ns() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(child_cpu_ns(child.pid()).value_or(0), 20 * kMillisecond);
  child.kill();
  child.wait();
  EXPECT_EQ(child_cpu_ns(child.pid()), std::nullopt);
}

TEST(ChildCpuTime, DoesNotGrowWhileTheChildSleeps) {
  SpawnOptions options{"/bin/sh", {"-c", "exec sleep 100"}, {}, {}};
  ChildProcess child(options);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double before = child_cpu_ns(child.pid()).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(child_cpu_ns(child.pid()).value() - before, 10 * kMillisecond);
}

TEST(StealTime, IsTheEighthNumberOfAllProcessors) {
  EXPECT_EQ(steal_ticks("cpu  10 20 30 40 50 60 70 88 1 2\ncpu0 1 1 1 1 1 1 1 5 0 0\n"), 88);
  EXPECT_EQ(steal_ticks("cpu  1 2 3 4 5 6 7 9"), 9) << "cut off behind it";
  EXPECT_EQ(steal_ticks("cpu  1 2 3 4 5 6 7\ncpu0 1 1 1 1 1 1 1 5\n"), 0) << "an old kernel does not tell";
  EXPECT_EQ(steal_ticks("intr 1 2 3 4 5 6 7 8 9"), 0);
  EXPECT_EQ(steal_ticks(""), 0);
}

TEST(StealTime, IsReadAnewFromTheFile) {
  const ScratchFolder folder("nestwright-test");
  const std::string path = folder.path() + "/stat";
  std::ofstream(path) << "cpu  0 0 0 0 0 0 0 3 0 0\n";
  StealTime steal(path);
  const double tick = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(steal.now_ns(), 3 * tick);
  std::ofstream(path) << "cpu  0 0 0 0 0 0 0 5 0 0\n";
  EXPECT_DOUBLE_EQ(steal.now_ns(), 5 * tick);
  EXPECT_DOUBLE_EQ(steal.since_last_ns(), 2 * tick) << "since it was made";
  EXPECT_DOUBLE_EQ(steal.since_last_ns(), 0);
  EXPECT_EQ(StealTime("/no/such/file").now_ns(), 0);
  EXPECT_GE(StealTime().now_ns(), 0);
}

}  // namespace
}  // namespace nestwright
