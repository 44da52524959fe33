// The matrix product under many schedules: its results are compared with a plain loop, and the form of its nest with
// the needs of tuned kernels.
#include <gmock/gmock.h>

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "matmul_schedule.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/soak.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Target& target() {
  static const Target avx512 = [] {
    Target t;
    t.isa = CpuIsa::kAvx512;
    t.vector_bits = 512;
    t.vector_registers = 32;
    return t;
  }();
  return avx512;
}

ir::Program lower_variant(const MatmulVariant& v, const LowerOptions& options = {}) {
  const Matmul op = make_matmul(v.m, v.n, v.k);
  return lower(schedule_matmul(op, v), {op.a, op.b, op.c}, target(), "matmul", options);
}

std::vector<float> naive(const MatmulVariant& v) {
  std::vector<float> c;
  for (std::int64_t i = 0; i < v.m; ++i) {
    for (std::int64_t j = 0; j < v.n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < v.k; ++k) {
        sum += static_cast<double>(input_value(0, static_cast<std::size_t>(i * v.k + k))) *
               static_cast<double>(input_value(1, static_cast<std::size_t>(k * v.n + j)));
      }
      c.push_back(static_cast<float>(sum));
    }
  }
  return c;
}

/// Verifies and runs the program after every pass.
void expect_right(const MatmulVariant& v) {
  const std::vector<float> expected = naive(v);
  LowerOptions options;
  int passes = 0;
  ir::Stmt last;
  options.after_pass = [&](std::string_view pass, const ir::Program& program, std::int64_t) {
    ++passes;
    if (last.defined() && program.kernels[0].body.same_as(last)) return;
    last = program.kernels[0].body;
    const std::vector<std::string> violations = ir::verify(program, ir::Form::kLoop);
    EXPECT_TRUE(violations.empty()) << v.str() << "\nafter " << pass << ": " << violations[0];
    EXPECT_EQ(run_program(program)[0], expected) << v.str() << "\nafter " << pass;
  };
  ASSERT_NO_THROW(lower_variant(v, options)) << v.str();
  const auto applies = [](const Pass& pass) {
    return pass.stage == LoweringStage::kLoops && includes(pass.devices, DeviceKind::kCpu);
  };
  EXPECT_EQ(passes, std::ranges::count_if(all_passes(), applies));
}

class RandomSchedules : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomSchedules, ComputeTheProduct) {
  constexpr int kVariants = 40, kSlices = 10;
  const testing::CaseRange range = testing::cases_of_run(kVariants, kSlices);
  for (int i = range.first; i < range.end; ++i)
    expect_right(random_variant(GetParam() + static_cast<std::uint64_t>(i)));
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomSchedules, ::testing::Values(0, 1000, 2000, 3000));

TEST(LowerMatmul, TinySizesUnderTheLargeTile) {
  for (const std::int64_t m : {1, 2, 15}) {
    for (const std::int64_t n : {1, 17, 33}) {
      for (const std::int64_t k : {1, 3, 5}) {
        MatmulVariant v;
        v.m = m;
        v.n = n;
        v.k = k;
        v.pack_b = (m + k) % 2 == 0;
        v.block_k = k == 5 ? 4 : 0;
        expect_right(v);
      }
    }
  }
}

// --- The form of the nest -----------------------------------------------------------------------------------------

/// All loops over the reduction, innermost statements included, in program order.
std::vector<ir::For> reduction_loops(const ir::Program& program) {
  std::vector<ir::For> loops;
  ir::for_each_stmt(program.kernels[0].body, [&](const ir::Stmt& s) {
    const auto* loop = s.as<ir::For>();
    if (loop != nullptr && loop->kind == ir::LoopKind::kSerial && loop->var.name().starts_with("k"))
      loops.push_back(*loop);
  });
  return loops;
}

int count_guards(const ir::Stmt& s) {
  int count = 0;
  ir::for_each_stmt(s,
                    [&](const ir::Stmt& inner) { count += inner.as<ir::IfThenElse>() || inner.as<ir::Let>() ? 1 : 0; });
  return count;
}

TEST(LowerMatmul, MainKernelHasNoGuardAndAWholeTile) {
  const ir::Program program = lower_variant({});
  const std::vector<ir::For> loops = reduction_loops(program);
  ASSERT_EQ(loops.size(), 4u);  // main and tail of both dimensions
  EXPECT_EQ(ir::to_string(loops[0].extent), "8");
  // Even the tails have no guards: their loops are shorter, down to the last vector of 15 columns.
  for (const ir::For& loop : loops) EXPECT_EQ(count_guards(loop.body), 0);

  std::vector<std::string> tiles;
  ir::for_each_stmt(program.kernels[0].body, [&](const ir::Stmt& s) {
    if (const auto* allocate = s.as<ir::Allocate>()) {
      tiles.push_back(ir::to_string(allocate->buffer->shape[0]) + "x" + ir::to_string(allocate->buffer->shape[1]));
    }
  });
  EXPECT_EQ(tiles, (std::vector<std::string>{"14x32", "1x32", "14x31", "1x31"}));
}

TEST(LowerMatmul, DividingSizesLeaveOneKernelWithoutAnyBranch) {
  MatmulVariant v;
  v.m = v.n = v.k = 512;
  v.tile_m = 8;
  v.pack_b = true;
  const ir::Program program = lower_variant(v);
  EXPECT_EQ(reduction_loops(program).size(), 1u);
  EXPECT_EQ(count_guards(program.kernels[0].body), 0) << ir::to_string(program);
}

TEST(LowerMatmul, PackedOperandIsReadWithoutGuardsInTheTailToo) {
  MatmulVariant v;
  v.pack_b = true;
  const ir::Program program = lower_variant(v);
  for (const ir::For& loop : reduction_loops(program)) EXPECT_EQ(count_guards(loop.body), 0);
  EXPECT_THAT(ir::to_string(program), HasSubstr("B.cache: float32[3, 33, 32]"));
}

TEST(LowerMatmul, ReductionTailIsLoweredForItsOwnLength) {
  MatmulVariant v;
  v.k = 301;
  v.block_k = 256;
  const std::vector<ir::For> loops = reduction_loops(lower_variant(v));
  std::vector<std::string> extents;
  for (const ir::For& loop : loops) {
    extents.push_back(ir::to_string(loop.extent));
    if (loop.var.name() == "k.inner.outer") {
      EXPECT_EQ(count_guards(loop.body), 0);
    }
  }
  EXPECT_THAT(extents, ::testing::Contains("64"));  // 256 by 4
  EXPECT_THAT(extents, ::testing::Contains("11"));  // 45 by 4, and one step more
}

TEST(LowerMatmul, BlockedReductionStartsFromTheOutput) {
  MatmulVariant v;
  v.k = 512;
  v.block_k = 256;
  const std::string text = ir::to_string(lower_variant(v));
  EXPECT_THAT(text, HasSubstr("if k.outer >= 1:"));
  EXPECT_THAT(text, HasSubstr("C.tile[i, j.outer*16 + j.inner] = C["));
}

TEST(LowerMatmul, CacheWriteAfterScheduling) {
  const Matmul op = make_matmul(10, 12, 14);
  Schedule s = create_schedule(op.c);
  const auto [io, jo, ii, ji] = s[op.c].tile(s[op.c].axis(0), s[op.c].axis(1), 4, 6);
  const auto [ko, ki] = s[op.c].split(s[op.c].reduce_axis(0), factor(5));
  s[op.c].reorder({io, ko, jo, ii, ki, ji}).vectorize(ji).unroll(ki);
  const Tensor b = s.cache_read(op.b, ir::Scope::kLocal, {op.c});
  const Tensor tile = s.cache_write(op.c, ir::Scope::kLocal);
  s[tile].compute_at(s[op.c], jo);
  s[b].compute_at(s[tile], ko);
  expect_same_results(s, {op.c}, {op.a, op.b, op.c});
}

}  // namespace
}  // namespace nestwright::testing
