#include "measure/build/resource_rejection.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

KernelResources kernel(int registers, int threads, std::int64_t shared_bytes = 0, std::int64_t spill_bytes = 0) {
  return {.kernel = "tile",
          .registers = registers,
          .spill_bytes = spill_bytes,
          .shared_bytes = shared_bytes,
          .threads = threads};
}

std::string verdict(const std::vector<KernelResources>& kernels) {
  return resource_rejection(kernels, Target::parse("cuda,arch=sm_80"));
}

TEST(ResourceRejection, WhatFitsIsNot) {
  EXPECT_EQ(verdict({}), "");
  EXPECT_EQ(verdict({kernel(255, 256, 163 << 10, 1020)}), "");
  EXPECT_EQ(verdict({kernel(64, 0)}), "") << "a block whose size the call decides";
}

TEST(ResourceRejection, WhatTheDeviceWouldRefuseToLaunch) {
  EXPECT_EQ(verdict({kernel(16, 32), kernel(16, 1025)}),
            "kernel tile cannot be launched: a block of 1025 threads is more than the 1024 that sm_80 allows");
  EXPECT_EQ(verdict({kernel(128, 1024)}),
            "kernel tile cannot be launched: 1024 threads of 128 registers take 131072 of them, more than the 65536 "
            "that sm_80 has for a block");
  EXPECT_EQ(verdict({kernel(16, 32, (163 << 10) + 4)}),
            "kernel tile cannot be launched: 166916 bytes of shared memory are more than the 166912 that a block may "
            "have on sm_80");
}

TEST(ResourceRejection, WhatSpillsMoreThanAllItsRegistersHold) {
  EXPECT_EQ(verdict({kernel(255, 128, 0, 1024)}),
            "kernel tile spills 1024 bytes a thread, more than the 1020 of all registers that a thread may have");
}

}  // namespace
}  // namespace nestwright
