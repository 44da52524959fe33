// Takes a reading: times calls of a kernel, with the FMA sentinel before and after them and the operating system's
// accounting of this process.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "measure/race/disturbance_gate.h"
#include "nestwright/kernel_abi.h"
#include "support/base/clock.h"
#include "support/os/cpu_accounting.h"
#include "target/measured/fma_loop.h"

namespace nestwright {

/// The iterations of run_fma_loop in a sentinel: about 8 us at 3.5 GHz. Constant, so that the sentinels of different
/// processes on one machine are comparable.
inline constexpr std::int64_t kSentinelIterations = 5600;

/// Returns the time that `work` takes.
inline double time_once(Clock& clock, const std::function<void()>& work) {
  const std::int64_t start = clock.now_ns();
  work();
  return static_cast<double>(clock.now_ns() - start);
}

/// Runs the FMA loop and returns how long it took. For a kernel on several threads it runs on all of them at once, as
/// long as the slowest: the processors of a virtual machine may be hyper-threads of one core for a while.
using Sentinel = std::function<double()>;

/// The sentinel of kernels that run on the threads of `loops`.
inline double time_fma_loops(const nestwright_parallel& loops) {
  const auto body = [](std::int32_t, std::int32_t, void*) { run_fma_loop(kSentinelIterations); };
  return time_once(steady_clock(), [&] { loops.run(loops.pool, loops.threads, body, nullptr); });
}

/// The runs of a sentinel, of which the fastest counts, so that it shows only the speed of the cores: the first run
/// after a kernel also waits for code that the kernel evicted from the caches, and any run may be interrupted.
inline constexpr int kSentinelRuns = 3, kMaxSentinelRuns = 50;

/// There are more runs until they have taken `least_ns`, in which sleeping threads wake.
inline double take_sentinel(const Sentinel& sentinel, double least_ns) {
  double fastest = std::numeric_limits<double>::infinity(), all = 0;
  for (int run = 0; run < kSentinelRuns || (all < least_ns && run < kMaxSentinelRuns); ++run) {
    const double ns = sentinel();
    fastest = std::min(fastest, ns);
    all += ns;
  }
  return fastest;
}

/// The calls of one reading.
struct ReadingPlan {
  std::int64_t calls = 1;
  bool warm_up = false;  ///< an untimed call first, after the sentinel, which may have evicted the kernel's data
  /// The least duration of the first sentinel and of the untimed calls: of a short kernel there are several, until its
  /// threads are awake.
  double warm_ns = 0;
  /// Untimed work before each call, which is then timed by itself. Empty: there is none.
  std::function<void()> before_call = {};
};

/// The time in which threads that slept are awake and have found their processors.
inline constexpr double kThreadsWakeNs = 100e3;

/// Times each call by itself, after its untimed work. Where that takes kMaxSpanNs, the rest of the calls is left out,
/// and the time of all is that of the others in proportion.
inline void time_calls_apart(Clock& clock, const ReadingPlan& plan, const std::function<void()>& call,
                             Reading& reading) {
  constexpr double kMaxSpanNs = 10e6;
  const std::int64_t start = clock.now_ns();
  std::int64_t done = 0;
  while (done < plan.calls && reading.span_ns < kMaxSpanNs) {
    plan.before_call();
    reading.ns += time_once(clock, call);
    reading.span_ns = static_cast<double>(clock.now_ns() - start);
    ++done;
  }
  reading.ns *= static_cast<double>(plan.calls) / static_cast<double>(done);
}

/// Takes one reading; `usage` returns the accounting of this process so far.
inline Reading take_reading(Clock& clock, const std::function<CpuUsage()>& usage, const ReadingPlan& plan,
                            const std::function<void()>& call, const Sentinel& sentinel) {
  Reading reading;
  reading.fma_ns = take_sentinel(sentinel, plan.warm_ns);
  if (plan.warm_up) {
    const std::int64_t start = clock.now_ns();
    do {
      if (plan.before_call) plan.before_call();
      call();
    } while (static_cast<double>(clock.now_ns() - start) < plan.warm_ns);
  }
  const CpuUsage before = usage();
  if (plan.before_call) {
    time_calls_apart(clock, plan, call, reading);
  } else {
    reading.ns = time_once(clock, [&] {
      for (std::int64_t i = 0; i < plan.calls; ++i) call();
    });
  }
  const CpuUsage used = usage() - before;
  reading.fma_ns = std::max(reading.fma_ns, take_sentinel(sentinel, 0));
  reading.cpu_ns = used.cpu_ns;
  reading.queue_ns = used.wait_ns;
  reading.involuntary_switches = used.involuntary_switches;
  return reading;
}

}  // namespace nestwright
