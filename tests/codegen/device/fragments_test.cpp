// Fragments in CUDA sources: run on the host by an emulation of the instructions, and compiled by NVRTC; and refusals
// of mma_products.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "tests/codegen/device/products.h"
#include "tests/codegen/device/warp_emulation.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* name;
  ir::Type type;
  bool ta, tb;
  const char* instruction;
};

class Fragments : public ::testing::TestWithParam<Case> {};

TEST_P(Fragments, TextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = fragments(type, ta, tb);
  const std::string source = cuda_source(p);
  EXPECT_EQ(run_on_emulated_warps(p.program, source, {type, 64, 96, 64, ta, tb}), "") << source;
}

TEST_P(Fragments, CompileToTensorCoreInstructionsWithoutSpills) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = fragments(type, ta, tb);
  for (const char* arch : {"sm_80", "sm_90"}) {
    Target target = device_target(DeviceKind::kCuda);
    target.arch = arch;
    const CompiledObject object =
        make_backend(DeviceKind::kCuda)->compile(expand(p.program, target, {}), target, {.keep_assembly = true});
    EXPECT_THAT(object.assembly, HasSubstr(std::string("mma.sync.aligned.") + instruction));
    const bool has_plain = !ta || tb, has_transposed = (ta || !tb) && type != kFloat32;
    EXPECT_EQ(object.assembly.find("cvt.rna.tf32.f32") != std::string::npos, type == kFloat32);
    EXPECT_EQ(object.assembly.find("ldmatrix.sync.aligned.m8n8.x4.shared") != std::string::npos, has_plain);
    EXPECT_EQ(object.assembly.find("ldmatrix.sync.aligned.m8n8.x4.trans.shared") != std::string::npos, has_transposed);
    EXPECT_EQ(object.resources[0].spill_bytes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Products, Fragments,
    ::testing::Values(Case{"plain", kFloat16, false, false, "m16n8k16.row.col.f32.f16.f16.f32"},
                      Case{"both", kBFloat16, true, true, "m16n8k16.row.col.f32.bf16.bf16.f32"},
                      Case{"a", kFloat16, true, false, "m16n8k16.row.col.f32.f16.f16.f32"},
                      Case{"b", kBFloat16, false, true, "m16n8k16.row.col.f32.bf16.bf16.f32"},
                      Case{"bytes", kInt8, false, true, "m16n8k32.row.col.s32.s8.s8.s32"},
                      Case{"unsigned_bytes", kUInt8, false, true, "m16n8k32.row.col.s32.u8.s8.s32"},
                      Case{"tf32", kFloat32, false, true, "m16n8k8.row.col.f32.tf32.tf32.f32"},
                      Case{"tf32_both", kFloat32, true, false, "m16n8k8.row.col.f32.tf32.tf32.f32"},
                      Case{"tf32_b", kFloat32, false, false, "m16n8k8.row.col.f32.tf32.tf32.f32"}),
    [](const auto& test) { return test.param.name; });

/// C[16, 16] by one warp, and mistakes in its schedule.
struct OneWarp {
  std::int64_t rows_of_tile = 16, padding = 8;
  bool reads_shared = true, reads_own = true;
  ir::Type type = kFloat16;
  bool rows_of_b = false;  ///< B is [N, K]
  bool rounds = false;     ///< to tf32

  std::string refusal() const {
    const std::int64_t steps = 32 / type.bytes();
    const auto [A, B, a, b, C] = product({type, 16, 16, steps, false, rows_of_b, rounds});
    Schedule s = create_schedule(C);
    const Tensor sums = s.cache_write(C, ir::Scope::kFragment);
    const auto [i8, y] = s[C].split(s[C].axis(0), factor(8));
    const auto [j8, rest] = s[C].split(s[C].axis(1), factor(reads_own ? 8 : 16));
    const auto [x, pair] = s[C].split(rest, factor(reads_own ? 2 : 4));
    s[C].reorder({y, x, i8, j8, pair}).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
    s[sums].compute_at(s[C], x);
    const auto [step, along] = s[sums].split(s[sums].reduce_axis(0), factor(steps));
    const auto [rows, row] = s[sums].split(s[sums].axis(0), factor(rows_of_tile));
    const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
    s[sums].reorder({step, rows, columns, row, column, along}).unroll(rows).unroll(columns);
    for (const auto& [read, rounded] : {std::pair{A, a}, std::pair{B, b}}) {
      Tensor from = read;
      if (reads_shared) {
        from = s.cache_read(read, ir::Scope::kShared, {rounds ? rounded : sums});
        const std::int64_t distance = *ir::as_const_int(read.shape()[1]) + padding;
        s[from].compute_at(s[sums], step).storage_align(s[from].axis(0), distance + 1, distance);
      }
      const Tensor fragment = rounds ? rounded : s.cache_read(from, ir::Scope::kFragment, {sums});
      s[fragment].set_scope(ir::Scope::kFragment).compute_at(s[sums], step);
    }
    return message<LowerError>(
        [&] { cuda_source({"one_warp", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "one_warp"), {}}); });
  }
};

TEST(FragmentRefusals, SayWhatToDo) {
  EXPECT_EQ(OneWarp{}.refusal(), "accepted");
  EXPECT_EQ(
      OneWarp{.rows_of_tile = 8}.refusal(),
      "buffer C.tile is kept in fragment scope, but it is filled by other tiles than 16 x 8: split its rows by 16 "
      "and its columns by 8");
  EXPECT_EQ(
      OneWarp{.padding = 4}.refusal(),
      "buffer A.cache.cache is kept in fragment scope, but rows of A.cache are not read from multiples of 16 bytes "
      "on: pad them by storage_align to multiples of 8 elements");
  EXPECT_EQ(OneWarp{.reads_shared = false}.refusal(),
            "buffer A.cache is kept in fragment scope, but it is not loaded from shared memory as it lies there: "
            "cache_read A in shared scope first");
  EXPECT_THAT(OneWarp{.reads_own = false}.refusal(),
              ::testing::AllOf(
                  ::testing::StartsWith("buffer C.tile is kept in fragment scope, but a thread reads C.tile["),
                  ::testing::EndsWith("], which another one may have: split the rows by 8 and bind the inner loop to "
                                      "threadIdx.y, the columns by 8 and 2 and bind the loop between to threadIdx.x")));
  EXPECT_EQ((OneWarp{.type = kFloat64}.refusal()),
            "buffer A.cache.cache is kept in fragment scope, but elements of float64 are neither multiplied nor sums "
            "there: use float16, bfloat16 or tf32 with sums of float32, or bytes with sums of int32");
}

TEST(FragmentRefusals, Float32IsRounded) {
  EXPECT_EQ((OneWarp{.type = kFloat32, .rows_of_b = true, .rounds = true}.refusal()), "accepted");
  EXPECT_EQ((OneWarp{.type = kFloat32, .rounds = true}.refusal()), "accepted");
  EXPECT_EQ((OneWarp{.type = kFloat32, .rows_of_b = true}.refusal()),
            "buffer A.cache.cache is kept in fragment scope, but float32 is multiplied as tf32: load round_tf32 of "
            "A.cache");
}

TEST(FragmentRefusals, BytesAreMultipliedAlongRows) {
  EXPECT_EQ((OneWarp{.padding = 16, .type = kInt8, .rows_of_b = true}.refusal()), "accepted");
  EXPECT_EQ(
      (OneWarp{.padding = 16, .type = kInt8}.refusal()),
      "buffer B.cache.cache is kept in fragment scope, but bytes are multiplied along rows only: store B.cache in "
      "rows that run along the reduction");
}

}  // namespace
}  // namespace nestwright::testing
