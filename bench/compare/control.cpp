#include "bench/compare/control.h"

#include <atomic>
#include <thread>

#include "support/clock.h"
#include "target/fma_loop.h"

namespace nestwright::bench {
namespace {

constexpr double kWork_ns = 10e6;

double gflops(int threads, std::int64_t iterations) {
  std::atomic<int> waiting{threads};
  const auto run = [&] {
    for (--waiting; waiting > 0;) {
    }
    run_fma_loop(iterations);
  };
  std::int64_t start = 0;
  if (threads == 2) {
    std::thread other(run);
    while (waiting > 1) {
    }
    start = steady_clock().now_ns();
    run();
    other.join();
  } else {
    start = steady_clock().now_ns();
    run();
  }
  const auto taken = static_cast<double>(steady_clock().now_ns() - start);
  return static_cast<double>(threads) * static_cast<double>(iterations * fma_loop_flops()) / taken;
}

}  // namespace

Control measure_control() {
  static const std::int64_t iterations = calibrate_fma_loop(kWork_ns);
  return {gflops(1, iterations), gflops(2, iterations)};
}

}  // namespace nestwright::bench
