// expand() for devices: which loops remain, the width of vectors, and refusals.
#include <gmock/gmock.h>

#include "devices.h"
#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "pass_list.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ir::Program expanded(const ir::Program& program) {
  return expand(program, device_target(), {.after_pass = {}, .verify = true});
}

TEST(DeviceExpand, ItsPasses) {
  const Matmul op = make_matmul(4, 4, 4);
  Schedule s = create_schedule(op.c);
  s[op.c].bind(s[op.c].axis(0), kBlockIdxX).bind(s[op.c].axis(1), kThreadIdxX);
  for (const DeviceKind device : {DeviceKind::kOpenCl, DeviceKind::kCuda}) {
    Target target = device_target();
    target.device = device;
    std::vector<std::string> seen;
    LowerOptions options;
    options.after_pass = [&](std::string_view pass, const ir::Program&, std::int64_t) { seen.emplace_back(pass); };
    expand(lower(s, {op.a, op.b, op.c}, target, "f"), target, options);
    EXPECT_EQ(seen, names_of_passes(LoweringStage::kVectors, device));
  }
}

TEST(DeviceExpand, UnrolledLoopsStayAndRegistersAreIndexedByThem) {
  const Matmul op = make_matmul(16, 12, 7);
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, ir::Scope::kRegister);
  const auto [bx, i] = s[op.c].split(s[op.c].axis(0), factor(4));
  const auto [tx, j] = s[op.c].split(s[op.c].axis(1), factor(3));
  s[op.c].reorder({bx, tx, i, j}).bind(bx, kBlockIdxX).bind(tx, kThreadIdxX).unroll(i).unroll(j);
  s[tile].compute_at(s[op.c], tx);
  s[tile].reorder({s[tile].reduce_axis(0), s[tile].axis(0), s[tile].axis(1)});
  s[tile].unroll(s[tile].axis(0)).unroll(s[tile].axis(1));
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  const ir::Program result = expanded(program);
  EXPECT_THAT(ir::to_string(result), HasSubstr("unrolled i.inner in 0..4:\n"));
  EXPECT_THAT(ir::to_string(result), HasSubstr("register C.tile: float32[4, 3]\n"));
  EXPECT_THAT(ir::verify(result, ir::Form::kDeviceVector), IsEmpty());
  EXPECT_THAT(ir::verify(result, ir::Form::kVector), Not(IsEmpty()));
  EXPECT_EQ(run_program(result, 3), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(DeviceExpand, VirtualThreadsAreGone) {
  const Matmul op = make_matmul(16, 12, 7);
  Schedule s = create_schedule(op.c);
  const auto [bx, rest] = s[op.c].split(s[op.c].axis(0), factor(8));
  const auto [vx, i] = s[op.c].split(rest, nparts(2));
  s[op.c].reorder({bx, vx, s[op.c].axis(1), i});
  s[op.c].bind(bx, kBlockIdxX).bind(vx, kVThread).bind(s[op.c].axis(1), kThreadIdxX);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_THAT(ir::verify(program, ir::Form::kDeviceVector), Not(IsEmpty()));
  EXPECT_EQ(run_program(expanded(program), 5), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(DeviceExpand, VectorsAreOf16BytesAndTheRestIsShorter) {
  const Tensor A = placeholder({8, 11}, kFloat32, "A");
  const Tensor B = compute({8, 11}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "B");
  Schedule s = create_schedule(B);
  s[B].bind(s[B].axis(0), kThreadIdxX).vectorize(s[B].axis(1));
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  const ir::Program result = expanded(program);
  EXPECT_EQ(ir::to_string(result.kernels[0].body),
            "threadIdx.x i in 0..8:\n"
            "  B[i, ramp(0, 1, 4)] = A[i, ramp(0, 1, 4)] + x4(1.0)\n"
            "  B[i, ramp(4, 1, 4)] = A[i, ramp(4, 1, 4)] + x4(1.0)\n"
            "  B[i, ramp(8, 1, 2)] = A[i, ramp(8, 1, 2)] + x2(1.0)\n"
            "  B[i, 10] = A[i, 10] + 1.0\n");
  EXPECT_EQ(run_program(result, 5), run_unscheduled(B, {A, B}));
}

TEST(DeviceExpandRefuses, RegistersAtIndicesThatAreNotUnrolled) {
  const Matmul op = make_matmul(16, 12, 7);
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, ir::Scope::kRegister);
  const auto [tx, j] = s[op.c].split(s[op.c].axis(1), factor(3));
  s[op.c].reorder({s[op.c].axis(0), tx, j}).bind(s[op.c].axis(0), kBlockIdxX).bind(tx, kThreadIdxX);
  s[tile].compute_at(s[op.c], tx);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  try {
    expanded(program);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(),
                 "register buffer C.tile is indexed by j, which is not constant once loops are unrolled: unroll the "
                 "loops over it, or keep it in local scope");
  }
}

TEST(DeviceExpandRefuses, UnrollingWithoutEnd) {
  const Tensor A = placeholder({8, 30000}, kFloat32, "A");
  const Tensor B = compute({8, 30000}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "B");
  Schedule s = create_schedule(B);
  s[B].bind(s[B].axis(0), kThreadIdxX).unroll(s[B].axis(1));
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  try {
    expanded(program);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(), "loop j unrolls to 30000 statements, at most 20000 are allowed: unroll less");
  }
}

}  // namespace
}  // namespace nestwright::testing
