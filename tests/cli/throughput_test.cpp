#include "cli/output/throughput.h"

#include <gtest/gtest.h>

#include "nestwright/registry.h"

namespace nestwright::cli {
namespace {

TEST(Throughput, AMatrixProductIsComputeBound) {
  const Work work = work_of(parse_workload("matmul m=512 n=512 k=512"));
  EXPECT_FALSE(work.is_memory_bound());
  EXPECT_EQ(throughput_text(work, 1e6), "268.4 GFLOP/s");
}

TEST(Throughput, ATranspositionIsMemoryBound) {
  const Work work = work_of(parse_workload("transpose rows=1000 columns=1000"));
  EXPECT_TRUE(work.is_memory_bound());
  EXPECT_EQ(throughput_text(work, 1e6), "8.0 GB/s");
}

TEST(Throughput, AnUnknownOperatorHasFlopsOnly) {
  WorkloadKey unknown;
  unknown.text = "sort n=1000";
  unknown.flops = 1000;
  EXPECT_EQ(throughput_text(work_of(unknown, nullptr), 100), "10.0 GFLOP/s");
}

}  // namespace
}  // namespace nestwright::cli
