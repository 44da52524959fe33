// Keys contain everything that a result depends on, and keep sizes separate.

#include "lookup/task_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/registry.h"
#include "target/description/machine.h"

namespace nestwright {
namespace {

TEST(WorkloadKeyTest, WhatDoesNotStandAtItsDefaultInOrderWithItsKind) {
  const WorkloadKey key = workload_key(parse_workload("matmul k=4 m=2 n=3 tb=1 dtype=float64"));
  EXPECT_EQ(key.text, "matmul m=2 n=3 k=4 tb=1 dtype=float64");
  EXPECT_EQ(key.op, "matmul");
  EXPECT_EQ(key.dtype, "float64");
  EXPECT_EQ(key.flops, 2.0 * 2 * 3 * 4);
  const std::vector<WorkloadParameter> expected = {
      {"m", "2", true}, {"n", "3", true}, {"k", "4", true}, {"tb", "1", false}, {"dtype", "float64", false}};
  EXPECT_EQ(key.parameters, expected);
  EXPECT_EQ(workload_key(parse_workload("matmul k=4 m=2 n=3 ta=0 dtype=float32")).parameters,
            std::vector<WorkloadParameter>({{"m", "2", true}, {"n", "3", true}, {"k", "4", true}}));
  EXPECT_EQ(workload_key(parse_workload("matmul k=4 m=2 n=3")).dtype, "float32");
}

TEST(TaskKeyTest, NamesTargetMachineAndBackend) {
  const Task task{parse_workload("matmul m=2 n=3 k=4"), Target::parse("cpu,isa=avx2,threads=3")};
  const TaskKey key = task_key(task);
  EXPECT_EQ(key.target, task.target.str());
  EXPECT_EQ(key.threads, 3);
  EXPECT_EQ(key.machine, Machine::host().fingerprint());
  EXPECT_THAT(key.backend, ::testing::StartsWith("LLVM "));
  EXPECT_EQ(key.pipeline, Pipeline::kSearch);
  EXPECT_EQ(key.cache, "warm");
}

TEST(TaskKeyTest, NamesTheStateOfTheCaches) {
  const Workload workload = parse_workload("matmul m=2 n=3 k=4");
  EXPECT_EQ(task_key({workload, Target::parse("cpu,isa=avx2"), CacheState::kCold}).cache, "cold");
  EXPECT_EQ(task_key({workload, Target::parse("cpu,isa=avx2"), CacheState::kStream}).cache, "stream");
}

}  // namespace
}  // namespace nestwright
