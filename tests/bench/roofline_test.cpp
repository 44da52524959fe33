#include "bench/comparison/results/roofline.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "tests/bench/synthetic.h"

namespace nestwright::bench {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;

Case product(double flops, double bytes, double scale = 1) {
  Case c;
  c.flops = flops;
  c.bytes = bytes;
  c.peak_scale = scale;
  return c;
}

TEST(Roofline, TheSlowerOfArithmeticAndMovingBinds) {
  // 1e9 operations at 100 GFLOP/s take 1e7 ns; 1e8 bytes at 20 GB/s take 5e6 ns.
  const Roof compute = roof_of(product(1e9, 1e8), 100, 20);
  EXPECT_EQ(compute.bound, Bound::kCompute);
  EXPECT_THAT(compute.least_ns, DoubleEq(1e7));
  const Roof memory = roof_of(product(1e9, 1e8), 100, 5);
  EXPECT_EQ(memory.bound, Bound::kMemory);
  EXPECT_THAT(memory.least_ns, DoubleEq(2e7));
}

TEST(Roofline, ATypeOfHalfThePeakTakesTwiceAsLong) {
  EXPECT_THAT(roof_of(product(1e9, 1, 0.5), 100, 20).least_ns, DoubleEq(2e7));
}

TEST(Roofline, WithoutAPeakOfItsTypeArithmeticHasNoRoof) {
  EXPECT_EQ(roof_of(product(1e9, 1e8, 0), 100, 20).bound, Bound::kUnknown);
  // A transposition has no arithmetic.
  const Roof moved = roof_of(product(0, 1e8, 0), 100, 20);
  EXPECT_EQ(moved.bound, Bound::kMemory);
  EXPECT_THAT(moved.least_ns, DoubleEq(5e6));
}

TEST(Roofline, ShareIsTheMedianOverTheRounds) {
  // At 2000 GFLOP/s and 100 GB/s: 0.5e6 ns of arithmetic, 0.1e6 ns of memory traffic.
  Comparison c = synthetic("a", {{"Nestwright", "", false, {1e6, 1e6, 0.5e6}}});
  Roofline r = roofline(c, c.series[0]);
  EXPECT_EQ(r.bound, Bound::kCompute);
  EXPECT_THAT(r.share, DoubleEq(0.5));
  EXPECT_THAT(r.roof_gflops, DoubleEq(2000));

  c.copies_gb_s.assign(3, 10);  // now 1e6 ns of memory traffic
  r = roofline(c, c.series[0]);
  EXPECT_EQ(r.bound, Bound::kMemory);
  EXPECT_THAT(r.share, DoubleEq(1));
  EXPECT_THAT(r.roof_gflops, DoubleNear(1000, 1e-9));
}

TEST(Roofline, NoTimesGiveNothingAndAMissedRoundIsABug) {
  Comparison c = synthetic("a", {{"Nestwright", "", false, {1e6, 1e6}}, {"Absent", "", false, {}}});
  EXPECT_EQ(roofline(c, c.series[1]).bound, Bound::kUnknown);
  EXPECT_EQ(roofline(c, c.series[1]).share, 0);
  c.copies_gb_s.pop_back();
  EXPECT_THROW(roofline(c, c.series[0]), InternalError);
}

}  // namespace
}  // namespace nestwright::bench
