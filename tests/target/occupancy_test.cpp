// Occupancy compared with the results of NVIDIA's occupancy calculator for the same kernels.
#include "target/description/occupancy.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

Occupancy on(const char* arch, const BlockResources& block) {
  return occupancy(block, Target::parse(std::string("cuda,arch=") + arch)).value();
}

struct Published {
  const char* arch;
  BlockResources block;
  int blocks, warps;
};

void expect(std::initializer_list<Published> table) {
  for (const Published& p : table) {
    const Occupancy found = on(p.arch, p.block);
    EXPECT_EQ(found.blocks, p.blocks) << p.arch << ", " << p.block.threads << " threads, " << p.block.registers
                                      << " registers, " << p.block.shared_bytes << " bytes";
    EXPECT_EQ(found.warps, p.warps) << p.arch << ", " << p.block.registers << " registers";
  }
}

TEST(Occupancy, RegistersBoundIt) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    expect({{arch, {256, 32, 0}, 8, 64},
            {arch, {256, 33, 0}, 6, 48},
            {arch, {256, 40, 0}, 6, 48},
            {arch, {256, 64, 0}, 4, 32},
            {arch, {256, 128, 0}, 2, 16},
            {arch, {256, 255, 0}, 1, 8},
            {arch, {128, 168, 0}, 3, 12},
            {arch, {1024, 64, 0}, 1, 32}});
    EXPECT_EQ(on(arch, {256, 32, 0}).share(), 1);
    EXPECT_EQ(on(arch, {256, 255, 0}).share(), 0.125);
  }
  expect({{"sm_86", {256, 40, 0}, 6, 48}, {"sm_86", {256, 64, 0}, 4, 32}, {"sm_75", {256, 64, 0}, 4, 32}});
  EXPECT_EQ(on("sm_75", {256, 64, 0}).share(), 1) << "it holds 32 warps";
}

TEST(Occupancy, SharedMemoryBoundsIt) {
  constexpr std::int64_t kKiB = 1024;
  expect({{"sm_80", {256, 32, 48 * kKiB}, 3, 24},
          {"sm_80", {256, 32, 32 * kKiB}, 4, 32},
          {"sm_80", {256, 32, 163 * kKiB}, 1, 8},
          {"sm_90", {256, 32, 32 * kKiB}, 6, 48},
          {"sm_90", {256, 32, 227 * kKiB}, 1, 8},
          {"sm_86", {128, 32, 49 * kKiB}, 2, 8},
          {"sm_86", {128, 32, 49 * kKiB + 1}, 1, 4},
          {"sm_75", {128, 32, 32 * kKiB}, 2, 8}});
}

TEST(Occupancy, WarpsAndBlocksBoundIt) {
  expect({{"sm_80", {1024, 16, 0}, 2, 64},
          {"sm_86", {1024, 16, 0}, 1, 32},
          {"sm_80", {32, 16, 0}, 32, 32},
          {"sm_86", {32, 16, 0}, 16, 16},
          {"sm_89", {32, 16, 0}, 24, 24},
          {"sm_120", {32, 16, 0}, 24, 24},
          {"sm_80", {100, 16, 0}, 16, 64}});  // four warps, although the last one is not full
}

TEST(Occupancy, IsOfArchitecturesOfCudaAlone) {
  EXPECT_FALSE(occupancy({256, 32, 0}, Target::parse("opencl")).has_value());
  EXPECT_FALSE(occupancy({256, 32, 0}, Target::parse("cpu,isa=avx2,threads=1")).has_value());
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
                           "sm_103", "sm_110", "sm_120", "sm_121"}) {
    const Target target = Target::parse(std::string("cuda,arch=") + arch);
    const Occupancy most = on(arch, {64, 16, target.shared_bytes});
    EXPECT_EQ(most.blocks, 1) << arch << ": all that a block may have is not all that there is";
  }
}

TEST(Occupancy, WhatCannotBeLaunchedHasNone) {
  const Target h100 = Target::parse("cuda,arch=sm_90");
  const std::pair<BlockResources, const char*> refusals[] = {
      {{2048, 16, 0}, "a block of 2048 threads is more than the 1024 that sm_90 allows"},
      {{32, 256, 0}, "256 registers a thread are more than the 255 that sm_90 has"},
      {{1024, 72, 0},
       "1024 threads of 72 registers take 73728 of them, more than the 65536 that sm_90 has for a block"},
      {{32, 32, 232449}, "232449 bytes of shared memory are more than the 232448 that a block may have on sm_90"},
  };
  for (const auto& [block, message] : refusals) {
    EXPECT_EQ(launch_rejection(block, h100), message);
    EXPECT_EQ(occupancy(block, h100).value().blocks, 0);
    EXPECT_EQ(occupancy(block, h100).value().share(), 0);
  }
  EXPECT_EQ(launch_rejection({1024, 64, 232448}, h100), "");
  EXPECT_EQ(launch_rejection({288, 224, 0}, h100),
            "288 threads of 224 registers take 86016 of them, more than the 65536 that sm_90 has for a block")
      << "nine warps count as twelve, three a partition";
}

}  // namespace
}  // namespace nestwright
