// Products of warpgroups in CUDA sources: their text run on the host by an emulation of the instruction, through NVRTC,
// and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "lower/lower.h"
#include "support/error.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/device/warp_emulation.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

std::string source_of(const NamedProgram& p) {
  const Target target = device_target(DeviceKind::kCuda);
  const ir::Program expanded = expand(p.program, target, {.after_pass = {}, .verify = true});
  return codegen::device_object(expanded, codegen::CudaDialect(target)).source;
}

struct Case {
  const char* name;
  ir::Type type;
  bool ta, tb;
  const char* instruction;
};

class Warpgroups : public ::testing::TestWithParam<Case> {};

TEST_P(Warpgroups, TextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = warpgroups(type, ta, tb);
  const std::string source = source_of(p);
  EXPECT_EQ(run_on_emulated_warps(p.program, source, {type, 128, 96, 128, ta, tb}), "") << source;
}

TEST_P(Warpgroups, CompileToTheirInstructionWithoutSpills) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = warpgroups(type, ta, tb);
  const Target target = device_target(DeviceKind::kCuda);
  const CompiledObject object =
      make_backend(DeviceKind::kCuda)->compile(expand(p.program, target, {}), target, {.keep_assembly = true});
  EXPECT_THAT(object.assembly, HasSubstr(std::string("wgmma.mma_async.sync.aligned.m64n32") + instruction));
  EXPECT_EQ(object.resources[0].spill_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(Products, Warpgroups,
                         ::testing::Values(Case{"plain", kFloat16, false, false, "k16.f32.f16.f16"},
                                           Case{"both", kBFloat16, true, true, "k16.f32.bf16.bf16"},
                                           Case{"a", kFloat16, true, false, "k16.f32.f16.f16"},
                                           Case{"b", kBFloat16, false, true, "k16.f32.bf16.bf16"},
                                           Case{"bytes", kInt8, false, true, "k32.s32.s8.s8"},
                                           Case{"unsigned_bytes", kUInt8, false, true, "k32.s32.u8.s8"}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace nestwright::testing
