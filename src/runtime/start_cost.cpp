#include "runtime/start_cost.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

namespace nestwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(2);
// The limit of the wait, for pools in which one thread runs all tasks.
constexpr auto kWaitLimit = std::chrono::milliseconds(1);
constexpr int kHotLoops = 301, kIdleLoops = 51;

struct Rendezvous {
  std::atomic<std::int32_t> arrived{0};
  std::int32_t expected = 0;
};

void wait_for_all(std::int32_t, std::int32_t, void* closure) {
  auto& rendezvous = *static_cast<Rendezvous*>(closure);
  ++rendezvous.arrived;
  const auto end = Clock::now() + kWaitLimit;
  while (rendezvous.arrived.load() < rendezvous.expected && Clock::now() < end) {
  }
}

double time_loop(const nestwright_parallel& parallel) {
  Rendezvous rendezvous;
  rendezvous.expected = parallel.threads;
  const auto start = Clock::now();
  parallel.run(parallel.pool, parallel.threads, wait_for_all, &rendezvous);
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
