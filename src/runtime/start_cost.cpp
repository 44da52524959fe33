#include "runtime/start_cost.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

namespace nestwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(2);
constexpr auto kPatience = std::chrono::milliseconds(1);  // with a pool that lets one thread run all tasks
constexpr int kHotLoops = 301, kIdleLoops = 51;

struct Meeting {
  std::atomic<std::int32_t> there{0};
  std::int32_t expected = 0;
};

void wait_for_all(std::int32_t, std::int32_t, void* closure) {
  auto& meeting = *static_cast<Meeting*>(closure);
  ++meeting.there;
  const auto end = Clock::now() + kPatience;
  while (meeting.there.load() < meeting.expected && Clock::now() < end) {
  }
}

double time_loop(const nestwright_parallel& parallel) {
  Meeting meeting;
  meeting.expected = parallel.threads;
  const auto start = Clock::now();
  parallel.run(parallel.pool, parallel.threads, wait_for_all, &meeting);
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void work_alone() {
  const auto end = Clock::now() + kPause;
  while (Clock::now() < end) {
  }
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

}  // namespace

StartCost measure_start_cost(PoolKind kind, int threads) {
  const auto pool = make_pool(kind, threads);
  std::vector<double> hot, idle;
  for (int i = 0; i < kHotLoops; ++i) hot.push_back(time_loop(*pool->abi()));
  for (int i = 0; i < kIdleLoops; ++i) {
    work_alone();
    idle.push_back(time_loop(*pool->abi()));
  }
  return {median(std::move(hot)), median(std::move(idle))};
}

}  // namespace nestwright
