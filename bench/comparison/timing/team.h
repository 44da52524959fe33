// Runs the same work on several threads that start at the same time.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/base/clock.h"

namespace nestwright::bench {

/// Wall time from the moment when all `threads` threads are ready until the last one has finished work(thread). The
/// caller is thread 0.
template <class Work>
std::int64_t time_team(int threads, Work work) {
  std::atomic<int> waiting{threads};
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) {
    others.emplace_back([&waiting, &work, thread] {
      for (--waiting; waiting > 0;) {
      }
      work(thread);
    });
  }
  while (waiting > 1) {
  }
  const std::int64_t start = steady_clock().now_ns();
  --waiting;
  work(0);
  for (std::thread& other : others) other.join();
  return steady_clock().now_ns() - start;
}

}  // namespace nestwright::bench
