#include "bench/comparison/timing/sampling.h"

#include <time.h>

#include <algorithm>
#include <vector>

#include "support/base/clock.h"

namespace nestwright::bench {
namespace {

constexpr double kSample_ns = 22e6;  // more than the promised 20 ms, as the clock frequency varies

double thread_cpu_ns() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

void Sampler::call_once() {
  calls_[next_]();
  next_ = next_ + 1 == calls_.size() ? 0 : next_ + 1;
}

Sample Sampler::time(std::int64_t calls) {
  const double cpu_start = thread_cpu_ns();
  const std::int64_t start = steady_clock().now_ns();
  for (std::int64_t i = 0; i < calls; ++i) call_once();
  const auto wall = static_cast<double>(steady_clock().now_ns() - start);
  return {wall / static_cast<double>(calls), (thread_cpu_ns() - cpu_start) / wall};
}

Sample Sampler::sample() {
  call_once();
  for (std::int64_t calls = 1; calls_of_a_sample_ == 0; calls *= 2) {
    const double once_ns = time(calls).time_ns;
    if (once_ns * static_cast<double>(calls) >= kSample_ns / 2) {
      calls_of_a_sample_ = static_cast<std::int64_t>(kSample_ns / once_ns) + 1;
    }
  }
  return time(calls_of_a_sample_);
}

double quick_time_ns(const Calls& calls) {
  Sampler sampler(calls);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(sampler.sample().time_ns);
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

}  // namespace nestwright::bench
