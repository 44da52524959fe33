// Fragments in CUDA sources: their text run on the host by an emulation of the instructions, through NVRTC, and what is
// refused.
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
#include "tests/support/message.h"

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

class Fragments : public ::testing::TestWithParam<Case> {};

TEST_P(Fragments, TextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = fragments(type, ta, tb);
  const std::string source = source_of(p);
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
    const bool has_plain = !ta || tb, has_transposed = ta || !tb;
    EXPECT_EQ(object.assembly.find("ldmatrix.sync.aligned.m8n8.x4.shared") != std::string::npos, has_plain);
    EXPECT_EQ(object.assembly.find("ldmatrix.sync.aligned.m8n8.x4.trans.shared") != std::string::npos, has_transposed);
    EXPECT_EQ(object.resources[0].spill_bytes, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Products, Fragments,
                         ::testing::Values(Case{"plain", kFloat16, false, false, "m16n8k16.row.col.f32.f16.f16.f32"},
                                           Case{"both", kBFloat16, true, true, "m16n8k16.row.col.f32.bf16.bf16.f32"},
                                           Case{"a", kFloat16, true, false, "m16n8k16.row.col.f32.f16.f16.f32"},
                                           Case{"b", kBFloat16, false, true, "m16n8k16.row.col.f32.bf16.bf16.f32"},
                                           Case{"bytes", kInt8, false, true, "m16n8k32.row.col.s32.s8.s8.s32"},
                                           Case{"unsigned_bytes", kUInt8, false, true,
                                                "m16n8k32.row.col.s32.u8.s8.s32"}),
                         [](const auto& test) { return test.param.name; });

/// C of 16 x 16 by one warp, and what may be wrong with its schedule.
struct OneWarp {
  std::int64_t rows_of_tile = 16, padding = 8;
  bool reads_shared = true, reads_own = true;
  ir::Type type = kFloat16;
  bool rows_of_b = false;  ///< B is [N, K]

  std::string refusal() const {
    const bool of_bytes = type.bytes() == 1;
    const std::int64_t steps = of_bytes ? 32 : 16;
    const ir::Type sums_of = of_bytes ? kInt32 : kFloat32;
    const Tensor A = placeholder({16, steps}, type, "A"),
                 B = placeholder({rows_of_b ? 16 : steps, rows_of_b ? steps : 16}, type, "B");
    const IterVar k = reduce_axis(steps, "k");
    const Tensor C = compute(
        {16, 16},
        [&](Expr i, Expr j) { return sum(cast(sums_of, A(i, k)) * cast(sums_of, rows_of_b ? B(j, k) : B(k, j)), k); },
        "C");
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
    for (const Tensor& read : {A, B}) {
      Tensor from = read;
      if (reads_shared) {
        from = s.cache_read(read, ir::Scope::kShared, {sums});
        const std::int64_t distance = *ir::as_const_int(read.shape()[1]) + padding;
        s[from].compute_at(s[sums], step).storage_align(s[from].axis(0), distance + 1, distance);
      }
      const Tensor fragment = s.cache_read(from, ir::Scope::kFragment, {sums});
      s[fragment].compute_at(s[sums], step);
    }
    return message<CompileError>(
        [&] { source_of({"one_warp", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "one_warp"), {}}); });
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
  EXPECT_EQ(
      (OneWarp{.type = kFloat32}.refusal()),
      "buffer A.cache.cache is kept in fragment scope, but elements of float32 are not multiplied: use float16 or "
      "bfloat16, or bytes");
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
