// The runner's limits, which count CPU time: they end kernels that loop or sleep, but not one that had no processor.
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "codegen/backend.h"
#include "support/base/clock.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(RunnerLimit, OneThatLoopsIsEndedByItsCpuTimeAndTheNextOneRuns) {
  const auto runner = planted_runner(0.4);
  const std::int64_t start = steady_clock().now_ns();
  const auto results = run_planted(*runner, {"hangs", "right", "hangs_when_timed", "right"}).measurements;
  EXPECT_GE(steady_clock().now_ns() - start, kSecond * 8 / 10);
  EXPECT_EQ(results[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(results[0].message, "not done after 0.4 s of CPU time while being checked");
  EXPECT_EQ(results[2].outcome, Outcome::kTimeout);
  EXPECT_EQ(results[2].message, "not done after 0.4 s of CPU time while being timed");
  EXPECT_TRUE(results[2].evidence.verified) << "its result was right, as far as it came";
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  EXPECT_EQ(results[3].outcome, Outcome::kOk) << results[3].message;
  EXPECT_GE(results[3].timing.samples_ns.size(), 2u);
}

TEST(RunnerLimit, OneThatSleepsIsEndedByTheClockAfterTenTimesAsLong) {
  const auto runner = planted_runner(0.1);
  const std::int64_t start = steady_clock().now_ns();
  const auto results = run_planted(*runner, {"sleeps_for_ever", "right"}).measurements;
  EXPECT_GE(steady_clock().now_ns() - start, kSecond);
  EXPECT_EQ(results[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(results[0].message, "not done after 1 s while being checked");
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
}

/// The stopped child of this process; 0: none.
pid_t stopped_child() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = readdir(folder.get())) {
    std::ifstream stat(std::string("/proc/") + entry->d_name + "/stat");
    pid_t pid = 0, parent = 0;
    std::string name, state;
    if (stat >> pid >> name >> state >> parent && parent == getpid() && state == "T") return pid;
  }
  return 0;
}

// Stopped for three times its limit, which is less than the limit of wall time.
TEST(RunnerLimit, OneThatHadNoProcessorIsNotEnded) {
  const auto runner = planted_runner(0.3);
  std::atomic<int> let_go = 0;
  std::thread other([&] {
    const std::int64_t deadline = steady_clock().now_ns() + 20 * kSecond;
    while (steady_clock().now_ns() < deadline) {
      if (const pid_t pid = stopped_child()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(900));
        kill(pid, SIGCONT);
        ++let_go;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const auto results = run_planted(*runner, {"is_stopped_once"}).measurements;
  other.join();
  EXPECT_EQ(let_go, 1);
  EXPECT_EQ(results[0].outcome, Outcome::kOk) << results[0].message;
  EXPECT_TRUE(results[0].evidence.verified);
}

TEST(RunnerLimit, ScalesWithTheIncumbentDownToASecond) {
  const auto runner = planted_runner(5);
  const CompiledObject right = planted("right");
  EXPECT_EQ(run_planted(*runner, {"hangs"}, Contender{&right, 1e3}).measurements[0].message,
            "not done after 1 s of CPU time while being checked");
  EXPECT_EQ(run_planted(*runner, {"hangs"}, Contender{&right, 15e6}).measurements[0].message,
            "not done after 1.5 s of CPU time while being checked");
}

TEST(RunnerLimit, IsNeverLongerThanWasAskedFor) {
  const auto runner = planted_runner(0.2);
  const CompiledObject right = planted("right");
  EXPECT_EQ(run_planted(*runner, {"hangs"}, Contender{&right, 100e6}).measurements[0].message,
            "not done after 0.2 s of CPU time while being checked");
}

// CPU time is that of all threads.
TEST(RunnerLimit, IsForEachThread) {
  const auto runner = planted_runner(0.3, 2);
  const std::int64_t start = steady_clock().now_ns();
  const auto results = run_planted(*runner, {"hangs", "in_parallel"}).measurements;
  EXPECT_GE(steady_clock().now_ns() - start, kSecond * 3 / 10);
  EXPECT_EQ(results[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
}

}  // namespace
}  // namespace nestwright
