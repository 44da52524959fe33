#include "cli/throughput.h"

#include <gtest/gtest.h>

#include "templates/registry.h"

namespace nestwright::cli {
namespace {

TEST(Throughput, AProductIsBoundByArithmetic) {
  const Work work = work_of(parse_workload("matmul m=512 n=512 k=512"));
  EXPECT_FALSE(work.is_bound_by_memory());
  EXPECT_EQ(speed_text(work, 1e6), "268.4 GFLOP/s");
}

TEST(Throughput, ATranspositionIsBoundByMemory) {
  const Work work = work_of(parse_workload("transpose rows=1000 columns=1000"));
  EXPECT_TRUE(work.is_bound_by_memory());
  EXPECT_EQ(speed_text(work, 1e6), "8.0 GB/s");
}

TEST(Throughput, OfAnUnknownWorkloadItsOperationsCount) {
  WorkloadKey unknown;
  unknown.text = "sort n=1000";
  unknown.flops = 1000;
  EXPECT_EQ(speed_text(work_of(unknown), 100), "10.0 GFLOP/s");
}

}  // namespace
}  // namespace nestwright::cli
