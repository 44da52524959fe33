#include "bench/comparison/timing/control.h"

#include "bench/comparison/timing/team.h"
#include "target/measured/fma_loop.h"

namespace nestwright::bench {
namespace {

constexpr double kWork_ns = 10e6;

double gflops(int threads, std::int64_t iterations) {
  const std::int64_t taken_ns = time_team(threads, [iterations](int) { run_fma_loop(iterations); });
  return static_cast<double>(threads) * static_cast<double>(iterations * fma_loop_flops()) /
         static_cast<double>(taken_ns);
}

}  // namespace

Control measure_control(int threads) {
  static const std::int64_t iterations = calibrate_fma_loop(kWork_ns);
  const double one = gflops(1, iterations);
  return {threads, one, threads == 1 ? one : gflops(threads, iterations)};
}

}  // namespace nestwright::bench
