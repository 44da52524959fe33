// storage_align in loop form, and its results against the unscheduled ones.
#include <gmock/gmock.h>

#include "matmul_schedule.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

ir::Program lowered(const Schedule& s, const std::vector<Tensor>& args) {
  return lower(s, args, cpu_target(CpuIsa::kAvx512), "f");
}

TEST(StorageAlign, PadsRows) {
  const Matmul op = make_matmul(12, 16, 10);
  Schedule s = create_schedule(op.c);
  const auto [io, ii] = s[op.c].split(s[op.c].axis(0), factor(4));
  const Tensor cache = s.cache_read(op.b, ir::Scope::kLocal, {op.c});
  s[cache].compute_at(s[op.c], io).storage_align(s[cache].axis(0), 32, 4);
  s[op.c].vectorize(s[op.c].axis(1));
  s[op.c].reorder({ii, s[op.c].reduce_axis(0), s[op.c].axis(1)});
  EXPECT_THAT(ir::to_string(lowered(s, {op.a, op.b, op.c})),
              ::testing::HasSubstr("  local B.cache: float32[10, 16] strides [36, 1]\n"));
  expect_same_results(s, {op.c}, {op.a, op.b, op.c});
}

TEST(StorageAlign, PadsRowsInTheWorkspaceAndOfALayout) {
  const Matmul op = make_matmul(6, 16, 10);
  Schedule s = create_schedule(op.c);
  const Tensor packed = s.cache_read(op.b, ir::Scope::kGlobal, {op.c});
  const auto at = s.transform_layout(packed, [](auto x) { return std::vector<Expr>{x[1] / 8, x[0], x[1] % 8}; });
  s[packed].storage_align(at[1], 16, 0).storage_align(at[0], 7, 3);
  const ir::Program program = lowered(s, {op.a, op.b, op.c});
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("global B.cache: float32[2, 10, 8] strides [164, 16, 1]\n"));
  EXPECT_EQ(expand(program, cpu_target(CpuIsa::kAvx512)).workspace.shared_bytes, (164 + 9 * 16 + 8) * 4 / 64 * 64 + 64);
  expect_same_results(s, {op.c}, {op.a, op.b, op.c});
}

}  // namespace
}  // namespace nestwright::testing
