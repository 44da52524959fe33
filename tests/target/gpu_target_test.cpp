// GPU targets: what an architecture implies, the text form, and what is refused.
#include "target/description/gpu_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

std::string refusal(std::string_view text) {
  return message<UsageError>([&] { Target::parse(text); });
}

TEST(GpuTarget, AnArchitectureSaysWhatABlockMayHave) {
  const Target h100 = Target::parse("cuda,arch=sm_90");
  EXPECT_EQ(h100.device, DeviceKind::kCuda);
  EXPECT_EQ(h100.arch, "sm_90");
  EXPECT_EQ(h100.multiprocessors, 132);
  EXPECT_EQ(h100.warp, 32);
  EXPECT_EQ(h100.threads_per_block, 1024);
  EXPECT_EQ(h100.shared_bytes, 232448);
  EXPECT_EQ(h100.registers_per_thread, 255);
  EXPECT_EQ(h100.registers_per_block, 65536);
  EXPECT_EQ(h100.l2_bytes, 52428800);
  EXPECT_EQ(h100.vector_bits, 128);
  EXPECT_EQ(Target::parse("cuda,arch=sm_75").shared_bytes, 65536);
  EXPECT_EQ(Target::parse("cuda,arch=sm_80").shared_bytes, 166912);
  EXPECT_EQ(Target::parse("cuda,arch=sm_86").shared_bytes, 101376);
  EXPECT_EQ(Target::parse("cuda,arch=sm_89").shared_bytes, 101376);
  EXPECT_EQ(Target::parse("cuda,arch=sm_90a").shared_bytes, 232448);
  EXPECT_EQ(Target::parse("cuda,arch=sm_100").shared_bytes, 232448);
  EXPECT_EQ(Target::parse("cuda,arch=sm_120").shared_bytes, 101376);
}

TEST(GpuTarget, CodeRunsOnLaterDevicesOfItsGenerationUnlessItIsMadeForOne) {
  for (const char* device : {"sm_80", "sm_86", "sm_89"}) EXPECT_TRUE(can_run_on("sm_80", device)) << device;
  for (const char* device : {"sm_75", "sm_80", "sm_90", "sm_100"}) EXPECT_FALSE(can_run_on("sm_86", device)) << device;
  EXPECT_TRUE(can_run_on("sm_90a", "sm_90"));
  EXPECT_TRUE(can_run_on("sm_100a", "sm_100"));
  EXPECT_FALSE(can_run_on("sm_100a", "sm_103"));
}

TEST(GpuTarget, CopiesGoOnWhileThreadsComputeFromAmpereOn) {
  EXPECT_TRUE(has_asynchronous_copies(Target::parse("cuda")));
  EXPECT_TRUE(has_asynchronous_copies(Target::parse("cuda,arch=sm_90a")));
  EXPECT_FALSE(has_asynchronous_copies(Target::parse("cuda,arch=sm_75")));
  EXPECT_FALSE(has_asynchronous_copies(Target::parse("opencl")));
}

TEST(GpuTarget, WarpsMultiplyMatricesFromAmpereOn) {
  EXPECT_TRUE(has_warpgroup_products(Target::parse("cuda,arch=sm_90")));
  EXPECT_TRUE(has_warpgroup_products(Target::parse("cuda,arch=sm_90a")));
  EXPECT_FALSE(has_warpgroup_products(Target::parse("cuda,arch=sm_100")));
  EXPECT_FALSE(has_warpgroup_products(Target::parse("cuda")));
  EXPECT_TRUE(has_matrix_products(Target::parse("cuda")));
  EXPECT_TRUE(has_matrix_products(Target::parse("cuda,arch=sm_120")));
  EXPECT_FALSE(has_matrix_products(Target::parse("cuda,arch=sm_75")));
  EXPECT_FALSE(has_matrix_products(Target::parse("opencl")));
  EXPECT_FALSE(has_matrix_products(Target::parse("cpu,isa=avx2,threads=1")));
}

TEST(GpuTarget, ThreadsOfAWholeWarpReadEachOthersRegisters) {
  EXPECT_TRUE(has_shuffles(Target::parse("cuda,arch=sm_75")));
  EXPECT_FALSE(has_shuffles(Target::parse("cuda,warp=16")));
  EXPECT_FALSE(has_shuffles(Target::parse("opencl,warp=32")));
}

TEST(GpuTarget, OpenClAloneIsWhatEveryDeviceHas) {
  const Target t = Target::parse("opencl");
  EXPECT_EQ(t.device, DeviceKind::kOpenCl);
  EXPECT_EQ(t.arch, "");
  EXPECT_EQ(t.warp, 1) << "no threads run in step";
  EXPECT_EQ(t.threads_per_block, 1024);
  EXPECT_EQ(t.shared_bytes, 32768);
  EXPECT_EQ(t.vector_bits, 128);
}

TEST(GpuTarget, EveryFieldIsReadAndPrintsCanonically) {
  const Target t = Target::parse(
      "cuda,l2=1048576,registers_per_block=32768,warp=16,registers_per_thread=128,threads_per_block=512,shared=49152,"
      "multiprocessors=7,arch=sm_86");
  EXPECT_EQ(t.l2_bytes, 1048576);
  EXPECT_EQ(t.registers_per_block, 32768);
  EXPECT_EQ(t.registers_per_thread, 128);
  EXPECT_EQ(t.warp, 16);
  EXPECT_EQ(t.threads_per_block, 512);
  EXPECT_EQ(t.shared_bytes, 49152);
  EXPECT_EQ(t.multiprocessors, 7);
  EXPECT_EQ(t.str(),
            "cuda,arch=sm_86,multiprocessors=7,shared=49152,threads_per_block=512,warp=16,registers_per_thread=128,"
            "registers_per_block=32768,l2=1048576");
}

TEST(GpuTarget, WhatTheArchitectureImpliesIsNotPrinted) {
  EXPECT_EQ(Target::parse("cuda").str(), "cuda,arch=sm_80");
  EXPECT_EQ(Target::parse("cuda,shared=232448,multiprocessors=78,arch=sm_90").str(),
            "cuda,arch=sm_90,multiprocessors=78");
  EXPECT_EQ(Target::parse("opencl").str(), "opencl");
  EXPECT_EQ(Target::parse("opencl,threads_per_block=1024,shared=2097152").str(), "opencl,shared=2097152");
}

TEST(GpuTarget, ParsingWhatWasPrintedGivesItBack) {
  for (const char* text : {"cuda", "opencl", "cuda,arch=sm_75", "cuda,arch=sm_87", "cuda,arch=sm_90a,l2=1024",
                           "cuda,arch=sm_100a", "cuda,arch=sm_103", "cuda,arch=sm_110", "cuda,arch=sm_120,shared=1024",
                           "cuda,arch=sm_121", "opencl,multiprocessors=2,threads_per_block=4096,l2=33554432"}) {
    const Target t = Target::parse(text);
    EXPECT_EQ(Target::parse(t.str()), t) << text;
    EXPECT_EQ(Target::parse(t.str()).str(), t.str()) << text;
  }
}

TEST(GpuTarget, ADeviceHasTheArchitectureWhoseCodeItRuns) {
  EXPECT_EQ(arch_of_capability(9, 0), "sm_90");
  EXPECT_EQ(arch_of_capability(8, 6), "sm_86");
  EXPECT_EQ(arch_of_capability(8, 8), "sm_87") << "the nearest before it";
  EXPECT_EQ(arch_of_capability(10, 1), "sm_100");
  EXPECT_EQ(arch_of_capability(12, 1), "sm_121");
  EXPECT_EQ(arch_of_capability(7, 0), "") << "nothing before it";
  EXPECT_EQ(arch_of_capability(13, 0), "") << "code for another major number does not run there";
}

TEST(GpuTarget, RefusesWithTheFieldAndWhatIsLegal) {
  EXPECT_EQ(refusal("cuda,arch=sm_70"),
            "target \"cuda,arch=sm_70\": arch \"sm_70\" is not known; use one of sm_75, sm_80, sm_86, sm_87, sm_89, "
            "sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_110, sm_120, sm_121");
  EXPECT_EQ(refusal("cuda,threads=4"),
            "target \"cuda,threads=4\": field \"threads\" is not known; known fields: arch, multiprocessors, shared, "
            "threads_per_block, warp, registers_per_thread, registers_per_block, l2");
  EXPECT_EQ(refusal("opencl,arch=sm_90"),
            "target \"opencl,arch=sm_90\": field \"arch\" is not known; known fields: multiprocessors, shared, "
            "threads_per_block, warp, registers_per_thread, registers_per_block, l2");
  EXPECT_EQ(refusal("cuda,threads_per_block=2048"),
            "target \"cuda,threads_per_block=2048\": threads_per_block is \"2048\"; use an integer from 1 to 1024");
  EXPECT_EQ(refusal("opencl,warp=24"), "target \"opencl,warp=24\": warp is \"24\"; use a power of two from 1 to 128");
  EXPECT_EQ(refusal("cuda,sm_90"),
            "target \"cuda,sm_90\": \"sm_90\" is not of the form field=value; known fields: arch, multiprocessors, "
            "shared, threads_per_block, warp, registers_per_thread, registers_per_block, l2");
  EXPECT_EQ(refusal("cuda,l2=4096,l2=4096"), "target \"cuda,l2=4096,l2=4096\": field l2 is given twice; give it once");
}

}  // namespace
}  // namespace nestwright
