#include "target/measured/quietness.h"

#include <fmt/format.h>

#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "support/base/clock.h"
#include "support/os/cpu_accounting.h"
#include "support/os/steal_time.h"
#include "target/description/host.h"
#include "target/measured/fma_loop.h"
#include "target/measured/issue_loop.h"
#include "target/measured/memory_walk.h"

namespace nestwright {
namespace {

constexpr double kFmaLoopNs = 100e3;
constexpr std::int64_t kWalkEveryNs = 5'000'000;
constexpr std::int64_t kIssueIterations = 4000;  // about 5 us
constexpr double kShared = 1.25;                 // relative to an issue loop on an unshared core

// p90 / p10 - 1.
double spread(std::vector<double>& times) {
  if (times.size() < 2) return 0;
  std::sort(times.begin(), times.end());
  const std::size_t last = times.size() - 1;
  return times[last * 9 / 10] / std::max(times[last / 10], 1.0) - 1;
}

// The share of times that are much longer than the fast ones.
double slow_share(std::vector<double>& times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  const double alone = times[times.size() / 20];
  const auto slow = std::count_if(times.begin(), times.end(), [&](double ns) { return ns > kShared * alone; });
  return static_cast<double>(slow) / static_cast<double>(times.size());
}

struct Watch {
  std::vector<double> fma_ns, issue_ns, walk_ns;
};

// Runs FMA loops and issue loops until `end_ns`, with a memory walk every 5 ms if `walk` is given.
void watch(std::int64_t end_ns, std::int64_t iterations, MemoryWalk* walk, Watch& result) {
  Clock& clock = steady_clock();
  std::int64_t next_walk_ns = clock.now_ns();
  for (std::int64_t now = next_walk_ns; now < end_ns;) {
    if (walk != nullptr && now >= next_walk_ns) {
      result.walk_ns.push_back(walk->run());
      next_walk_ns += kWalkEveryNs;
    }
    const std::int64_t start = clock.now_ns();
    run_fma_loop(iterations);
    const std::int64_t middle = clock.now_ns();
    run_issue_loop(kIssueIterations);
    now = clock.now_ns();
    result.fma_ns.push_back(static_cast<double>(middle - start));
    result.issue_ns.push_back(static_cast<double>(now - middle));
  }
}

}  // namespace

std::string Quietness::disturbance() const {
  std::string found;
  const auto add = [&](double share, double limit, const char* what) {
    if (share <= limit) return;
    if (!found.empty()) found += ", ";
    found += fmt::format("{} {:.1f}% (limit {:.1f}%)", what, 100 * share, 100 * limit);
  };
  add(fma_spread, kMaxFmaSpread, "the FMA loop spreads by");
  add(shared_share, kMaxSharedShare, "another hyper-thread shared a core for");
  add(walk_spread, kMaxWalkSpread, "the memory walk spreads by");
  add(wait_share, kMaxWaitShare, "other processes had the cores for");
  add(steal_share, kMaxStealShare, "the host withheld the cores for");
  return found;
}

Quietness measure_quietness(double seconds, int threads) {
  if (threads < 1) threads = host_threads();
  const std::int64_t iterations = calibrate_fma_loop(kFmaLoopNs);
  MemoryWalk walk;
  walk.run();  // the first walk runs with cold code and page tables
  const StealTime steal;
  std::vector<Watch> watches(static_cast<std::size_t>(threads));
  // The accounting loses threads that have ended, so they stay until the last snapshot is taken.
  std::latch begun(1), watched(threads), accounted(1);
  std::int64_t end_ns = 0;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([&, i] {
      begun.wait();
      watch(end_ns, iterations, nullptr, watches[static_cast<std::size_t>(i)]);
      watched.count_down();
      accounted.wait();
    });
  }
  CpuAccounting accounting;
  const CpuUsage before = accounting.now();
  const double steal_before = steal.now_ns();
  const std::int64_t start_ns = steady_clock().now_ns();
  end_ns = start_ns + static_cast<std::int64_t>(seconds * 1e9);
  begun.count_down();
  watch(end_ns, iterations, &walk, watches.front());
  watched.arrive_and_wait();
  const auto elapsed_ns = static_cast<double>(steady_clock().now_ns() - start_ns);
  const CpuUsage used = accounting.now() - before;
  accounted.count_down();
  for (std::thread& other : others) other.join();
  Quietness result;
  result.seconds = elapsed_ns * 1e-9;
  for (Watch& each : watches) {
    result.fma_spread = std::max(result.fma_spread, spread(each.fma_ns));
    result.shared_share = std::max(result.shared_share, slow_share(each.issue_ns));
  }
  result.walk_spread = spread(watches.front().walk_ns);
  result.wait_share = used.wait_ns / (elapsed_ns * threads);
  result.steal_share = (steal.now_ns() - steal_before) / (elapsed_ns * host_threads());
  return result;
}

}  // namespace nestwright
