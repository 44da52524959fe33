#include "matmul_fixture.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

class ComputeInline : public MatmulSchedule {};

std::string body(const Schedule& s, std::size_t stage) {
  return ir::to_string(s.state().stages[stage].op.compute()->bodies[0]);
}

TEST(ComputeInlineBodies, RewritesItsConsumers) {
  const Tensor a = placeholder({10}, kFloat32, "A");
  const Tensor b = compute({10}, [&](Expr i) { return a(i) * 2.0; }, "B");
  const Tensor c = compute({8}, [&](Expr i) { return b(i) + b(i + 2); }, "C");
  const Tensor d = compute({8}, [&](Expr i) { return c(i) + b(i); }, "D");
  Schedule s = create_schedule(d);
  s[b].compute_inline();
  EXPECT_EQ(s.state().stages[0].attach.kind, AttachKind::kInline);
  EXPECT_EQ(body(s, 1), "A[i]*2.0 + A[i + 2]*2.0");
  EXPECT_EQ(body(s, 2), "C[i] + A[i]*2.0");
  EXPECT_EQ(s.state().stages[1].op->inputs, std::vector<Operation>{a.op()});
  EXPECT_EQ(s.state().stages[2].op->inputs, (std::vector<Operation>{s.state().stages[1].op, a.op()}))
      << "a consumer's inputs are the operations as they are now";
  s[c].compute_inline();
  EXPECT_EQ(body(s, 2), "A[i]*2.0 + A[i + 2]*2.0 + A[i]*2.0");
  EXPECT_EQ(s[d].tensor(), d);
  EXPECT_EQ(c.op()->inputs, std::vector<Operation>{b.op()}) << "the expression itself is untouched";
  EXPECT_THROW(s[b].compute_root(), ScheduleError);
  EXPECT_THROW(s.cache_read(b, ir::Scope::kLocal, {d}), ScheduleError);
}

TEST(ComputeInlineBodies, WorksInsideAReduction) {
  const Tensor a = placeholder({8, 4}, kFloat32, "A");
  const Tensor b = compute({8, 4}, [&](Expr i, Expr j) { return a(i, j) * a(i, j); }, "B");
  const IterVar k = reduce_axis(4, "k");
  const Tensor c = compute({8}, [&](Expr i) { return sum(b(i, k), k); }, "C");
  Schedule s = create_schedule(c);
  s[b].compute_inline();
  const auto* reduce = s.state().stages[1].op.compute()->reduction();
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(ir::to_string(reduce->values[0]), "A[i, k]*A[i, k]");
  EXPECT_EQ(s[c].reduce_axis(0), k);
}

TEST_F(ComputeInline, RefusesOutputsAndReductions) {
  expect_refused([&] { s[c].compute_inline(); }, "compute_inline", "C", "it is an output");
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister);
  expect_refused([&] { s[tile].compute_inline(); }, "compute_inline", "C.tile", "it is a reduction");
}

TEST_F(ComputeInline, RefusesStagesThatWereScheduled) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].unroll(s[cache].axis(0));
  expect_refused([&] { s[cache].compute_inline(); }, "compute_inline", "B.cache", "it was scheduled already");
}

}  // namespace
}  // namespace nestwright
