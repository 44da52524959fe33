#include "target/measured/peak.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "target/description/host.h"
#include "target/measured/fma_loop.h"
#include "target/measured/issue_loop.h"

namespace nestwright {
namespace {

TEST(FmaLoop, TakesTheTimeThatItIsCalibratedFor) {
  const std::int64_t iterations = calibrate_fma_loop(100e3);
  double best = 1e18;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t start = steady_clock().now_ns();
    run_fma_loop(iterations);
    best = std::min(best, static_cast<double>(steady_clock().now_ns() - start));
  }
  EXPECT_GT(best, 40e3);
  EXPECT_LT(best, 250e3);
}

// 26 instructions per iteration, of which a core issues between one and twelve per cycle at 1 to 6 GHz.
TEST(IssueLoop, IssuesAllOfItsInstructions) {
  constexpr std::int64_t kIterations = 100'000;
  double best = 1e18;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t start = steady_clock().now_ns();
    run_issue_loop(kIterations);
    best = std::min(best, static_cast<double>(steady_clock().now_ns() - start));
  }
  EXPECT_GT(best / kIterations, 26.0 / 12 / 6);
  EXPECT_LT(best / kIterations, 26.0);
  run_issue_loop(0);
}

TEST(FmaLoop, CountsItsOperations) {
  const int lanes = host_isa() == CpuIsa::kAvx512 ? 16 : host_isa() == CpuIsa::kAvx2 ? 8 : 4;
  EXPECT_EQ(fma_loop_flops(), 2 * 10 * lanes);
}

// Between one vector operation per nanosecond and four per cycle at 6 GHz: a loop that was optimised away, or that
// spills, fails.
TEST(Peak, IsThatOfThisKindOfProcessor) {
  const double per_operation = static_cast<double>(fma_loop_flops()) / 10;
  const double peak = measure_fma_peak(1, 0.05);
  EXPECT_GT(peak, 0.5 * per_operation);
  EXPECT_LT(peak, 4 * 6 * per_operation);
}

TEST(Peak, BandwidthFallsOutwards) {
  const double l1 = measure_read_bandwidth(16 << 10, 0.03), dram = measure_read_bandwidth(std::int64_t{128} << 20, 0.1);
  EXPECT_GT(dram, 0.5);
  EXPECT_GT(l1, dram);
  EXPECT_GT(measure_copy_bandwidth(1 << 20, 0.02), 1.0);
}

TEST(Peak, ThreadsReadTogether) {
  if (host_threads() == 1) GTEST_SKIP() << "this machine has one core";
  EXPECT_GT(measure_read_bandwidth(16 << 10, 0.1, 2), 1.2 * measure_read_bandwidth(16 << 10, 0.1));
}

// Each of a thousand threads that share two cores reaches the rate of a whole core in its best round.
TEST(Peak, CountsNoMoreThreadsThanThereAreCores) {
  const int cores = host_threads();
  const double per_operation = static_cast<double>(fma_loop_flops()) / 10;
  EXPECT_LT(measure_fma_peak(1000, 0.05), cores * 4 * 6 * per_operation);
  EXPECT_LT(measure_fma_peak(1000, 0.05), 3 * cores * measure_fma_peak(1, 0.05));
  EXPECT_LT(measure_read_bandwidth(16 << 10, 0.05, 1000), 3 * cores * measure_read_bandwidth(16 << 10, 0.05));
}

TEST(Peak, RefusesWhatCannotBeMeasured) {
  EXPECT_THROW(measure_fma_peak(0), UsageError);
  EXPECT_THROW(measure_read_bandwidth(100), UsageError);
  EXPECT_THROW(measure_read_bandwidth(4096, 0.01, 0), UsageError);
}

}  // namespace
}  // namespace nestwright
