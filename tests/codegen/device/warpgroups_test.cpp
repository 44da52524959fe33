// Products of warpgroups in CUDA sources: run on the host by an emulation of the instruction, and compiled by NVRTC;
// and refusals of wgmma_products.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
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

class Warpgroups : public ::testing::TestWithParam<Case> {};

TEST_P(Warpgroups, TextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = warpgroups(type, ta, tb);
  const std::string source = cuda_source(p);
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

TEST_P(Warpgroups, SwizzledTextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb, instruction] = GetParam();
  const NamedProgram p = swizzled_warpgroups(type, ta, tb, 256);
  const std::string source = cuda_source(p);
  EXPECT_THAT(source, HasSubstr("_swizzled_a"));
  EXPECT_THAT(source, HasSubstr("_swizzled_b"));
  EXPECT_EQ(run_on_emulated_warps(p.program, source, {type, 128, 256, 256, ta, tb}), "") << source;
}

INSTANTIATE_TEST_SUITE_P(Products, Warpgroups,
                         ::testing::Values(Case{"plain", kFloat16, false, false, "k16.f32.f16.f16"},
                                           Case{"both", kBFloat16, true, true, "k16.f32.bf16.bf16"},
                                           Case{"a", kFloat16, true, false, "k16.f32.f16.f16"},
                                           Case{"b", kBFloat16, false, true, "k16.f32.bf16.bf16"},
                                           Case{"bytes", kInt8, false, true, "k32.s32.s8.s8"},
                                           Case{"unsigned_bytes", kUInt8, false, true, "k32.s32.u8.s8"}),
                         [](const auto& test) { return test.param.name; });

TEST(WarpgroupText, OtherProxiesSeeWhatIsStoredBeforeEachBarrier) {
  std::istringstream lines(cuda_source(warpgroups(kFloat16, false, false, 320)));
  int barriers = 0;
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line.find("__syncthreads();") == std::string::npos) continue;
    ++barriers;
    EXPECT_THAT(before, HasSubstr("fence.proxy.async.shared::cta;"));
  }
  EXPECT_EQ(barriers, 2);
}

// Copies for a later slice begin while the current slice is multiplied.
TEST(WarpgroupText, ProductsGoOnWhileThreadsFetch) {
  for (const std::int64_t stages : {2, 3}) {
    const std::string source = cuda_source(warpgroups(kFloat16, false, false, 320, stages));
    const std::size_t loop = source.find("for (int k_outer"), product = source.find("nw_multiply_shared", loop),
                      copy = source.find("nw_copy_16", product), await = source.find("nw_await_float32_32(", product),
                      barrier = source.find("__syncthreads", product);
    ASSERT_NE(loop, std::string::npos);
    EXPECT_LT(product, copy) << source;
    EXPECT_LT(copy, await) << source;
    EXPECT_LT(await, barrier) << source;
  }
}

TEST(WarpgroupText, MistakesShowInTheResult) {
  const NamedProgram p = warpgroups(kFloat16, false, false, 320, 3);
  const std::string source = cuda_source(p);
  const auto result = [&](const std::string& what, const std::string& by) {
    std::string text = source;
    const std::size_t at = text.find(what, text.find("__global__"));
    EXPECT_NE(at, std::string::npos) << what;
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return run_on_emulated_warps(p.program, text, {kFloat16, 128, 96, 320, false, false});
  };
  ASSERT_EQ(result("", ""), "");
  // The products are not awaited.
  EXPECT_THAT(result("nw_await_float32_32(&C_tile[0], &C_tile[8]);", ""), HasSubstr("C["));
  // The slot that is filled during the product is its operand.
  EXPECT_THAT(result("(k_outer + 2)%3", "k_outer%3"), HasSubstr("C["));
}

/// C[128, 16] by two warpgroups, and mistakes in its schedule.
struct TwoWarpgroups {
  std::int64_t rows = 128, rows_of_warp = 16, steps = 16;
  bool has_cores = true, warps_first = false;
  std::int64_t padding = 0;
  ir::Type type = kFloat16;

  NamedProgram program() const {
    const auto [A, B, a, b, C] = product({type, rows, 16, 64, false, true});
    Schedule s = create_schedule(C);
    const Tensor sums = s.cache_write(C, ir::Scope::kFragment);
    const auto [group, in_group] = s[C].split(s[C].axis(0), factor(4 * rows_of_warp));
    const auto [warp, in_warp] = s[C].split(in_group, factor(rows_of_warp));
    const auto [i8, y] = s[C].split(in_warp, factor(8));
    const auto [j8, in_columns] = s[C].split(s[C].axis(1), factor(8));
    const auto [x, pair] = s[C].split(in_columns, factor(2));
    s[C].reorder({warps_first ? warp : group, warps_first ? group : warp, y, x, i8, j8, pair});
    const IterVar z = warps_first ? s[C].fuse(warp, group) : s[C].fuse(group, warp);
    s[C].bind(z, kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
    s[sums].compute_at(s[C], x);
    const std::int64_t row = 16 / type.bytes();
    const auto [slice, in_slice] = s[sums].split(s[sums].reduce_axis(0), factor(steps));
    const auto [cores, step] = s[sums].split(in_slice, factor(row));
    const auto [rows8, row8] = s[sums].split(s[sums].axis(0), factor(8));
    const auto [columns, column] = s[sums].split(s[sums].axis(1), factor(8));
    s[sums].reorder({slice, rows8, row8, columns, column, cores, step});
    for (const Tensor& read : {A, B}) {
      const Tensor cache = s.cache_read(read, ir::Scope::kShared, {sums});
      if (has_cores) {
        const auto layout = s.transform_layout(
            cache, [&](std::span<const Expr> at) { return std::vector<Expr>{at[1] / row, at[0], at[1] % row}; });
        if (padding > 0) s[cache].storage_align(layout[1], row + padding, 0);
      }
      s[cache].compute_at(s[sums], slice);
    }
    return {"two_warpgroups", lower(s, {A, B, C}, device_target(DeviceKind::kCuda), "two_warpgroups"), {}};
  }

  std::string refusal(const char* arch = "sm_90") const {
    return message<LowerError>([&] { cuda_source(program(), arch); });
  }
};

TEST(WarpgroupRefusals, SayWhatToDo) {
  EXPECT_EQ(TwoWarpgroups{}.refusal(), "accepted");
  EXPECT_EQ(TwoWarpgroups{}.refusal("sm_80"),
            "matrices in shared memory are multiplied by warpgroups, which only sm_90 has: cache_read them in fragment "
            "scope");
  EXPECT_EQ(TwoWarpgroups{.rows_of_warp = 32}.refusal(),
            "buffer C.tile is multiplied by a warpgroup, but a warp adds to another part of it than 16 rows by a "
            "multiple of 16 columns up to 256, and all of them: split its rows by 64, then by 16");
  EXPECT_EQ(TwoWarpgroups{.rows = 32}.refusal(),
            "buffer C.tile is multiplied by a warpgroup, but no loop over a multiple of 4 warps is bound to "
            "threadIdx.z");
  EXPECT_EQ(
      TwoWarpgroups{.has_cores = false}.refusal(),
      "buffer A.cache is multiplied by a warpgroup, but it is not made up of 8 rows of 16 bytes in one piece: "
      "store its element [i, k] at [k / 8, i, k % 8] or [i / 8, k, i % 8], or by 128 bytes at [k / 64, i, k % 64] "
      "or [i / 64, k, i % 64]");
  EXPECT_EQ(TwoWarpgroups{.padding = 8}.refusal(), TwoWarpgroups{.has_cores = false}.refusal());
  EXPECT_EQ(
      TwoWarpgroups{.warps_first = true}.refusal(),
      "buffer A.cache is multiplied by a warpgroup, but its rows are not those of four warps, one behind the "
      "other: bind the inner part of a split by 4 of rows by 16 to threadIdx.z, innermost of what is fused there");
  EXPECT_EQ(TwoWarpgroups{.steps = 8}.refusal(),
            "buffer A.cache is multiplied by a warpgroup, but the reduction goes on in other steps than multiples of "
            "16: split it so");
  EXPECT_EQ(
      TwoWarpgroups{.type = kFloat32}.refusal(),
      "buffer C.tile is kept in fragment scope, but what is added to it is no product of two matrices of float16, "
      "bfloat16 or tf32 in float32, or of bytes by int8 in int32");
}

/// Puts a test of threadIdx.z around the products of `kernel`.
class Halved final : public ir::Mutator {
 public:
  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    const auto* loop = s.as<ir::For>();
    if (loop != nullptr && loop->kind == ir::LoopKind::kThreadZ) z_ = loop->var;
    if (loop == nullptr || loop->var.name() != "k.outer") return mutate_children(s);
    return ir::make_if(Expr(z_) < 4, s);
  }

 private:
  ir::Var z_;
};

TEST(WarpgroupRefusals, DivergentControlFlowAroundAProduct) {
  NamedProgram p = TwoWarpgroups{}.program();
  ir::Kernel& kernel = p.program.kernels[0];
  kernel.body = Halved().mutate(kernel.body);
  const Target target = Target::parse("cuda,arch=sm_90");
  PassContext context{.target = target};
  EXPECT_EQ(message<LowerError>([&] { passes::wgmma_products(p.program, context); }),
            "buffer C.tile is multiplied by a warpgroup, but a condition around it may differ between the group's "
            "threads: compute whole tiles, and test threadIdx where they are stored");
}

}  // namespace
}  // namespace nestwright::testing
