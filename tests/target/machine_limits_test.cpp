#include "target/measured/machine_limits.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "target/measured/fma_loop.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(MachineLimits, AreWhatThisKindOfProcessorCanDo) {
  const MachineLimits limits = measure_machine_limits(1, 0.06);
  const double per_operation = static_cast<double>(fma_loop_flops()) / 10;
  EXPECT_GT(limits.fma_gflops, 0.5 * per_operation);
  EXPECT_LT(limits.fma_gflops, 4 * 6 * per_operation);
  EXPECT_GT(limits.read_gb_s, 2.0);
  EXPECT_LT(limits.read_gb_s, 4 * 64 * 6);
}

TEST(MachineLimits, TheHigherOneOfEachRateCounts) {
  EXPECT_EQ(highest({10, 200}, {20, 100}), (MachineLimits{20, 200}));
  EXPECT_EQ(highest({}, {20, 100}), (MachineLimits{20, 100}));
}

TEST(MachineLimits, AreThoseOfAtLeastOneThread) {
  EXPECT_EQ(message<UsageError>([] { measure_machine_limits(0, 0.01); }),
            "the fma peak is measured on at least one thread");
}

}  // namespace
}  // namespace nestwright
