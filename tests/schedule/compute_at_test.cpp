// compute_at and compute_root.
#include "matmul_fixture.h"

namespace nestwright {
namespace {

class ComputeAt : public MatmulSchedule {};

TEST_F(ComputeAt, AttachesToTheLoop) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], j);
  EXPECT_EQ(stage(cache).attach.kind, AttachKind::kAt);
  EXPECT_EQ(stage(cache).attach.stage, index(c));
  EXPECT_EQ(stage(cache).attach.loop, j);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"compute_at", {"B.cache", "C.1"}}));
  s[cache].compute_at(s[c], k);
  EXPECT_EQ(stage(cache).attach.loop, k);
  s[cache].compute_root();
  EXPECT_EQ(stage(cache).attach.kind, AttachKind::kRoot);
}

TEST_F(ComputeAt, FollowsStagesThatArePutInBetween) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], j);
  s.cache_read(a, ir::Scope::kLocal, {c});
  EXPECT_EQ(stage(cache).attach.stage, index(c));
  EXPECT_EQ(index(c), 2);
}

TEST_F(ComputeAt, AcceptsAConsumerFurtherDown) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister);
  s[cache].compute_at(s[c], i);
  EXPECT_EQ(stage(cache).attach.stage, index(c));
  EXPECT_EQ(index(tile), 1);
}

TEST_F(ComputeAt, RefusesWhatIsNotNeededThere) {
  const Tensor cache_a = s.cache_read(a, ir::Scope::kLocal, {c});
  const Tensor cache_b = s.cache_read(b, ir::Scope::kLocal, {c});
  const IterVar a0 = s[cache_a].axis(0);
  expect_refused([&] { s[cache_b].compute_at(s[cache_a], a0); }, "compute_at", "B.cache",
                 "A.cache is not computed from it");
  expect_refused([&] { s[cache_a].compute_at(s[cache_a], a0); }, "compute_at", "A.cache",
                 "A.cache is not computed from it");
  expect_refused([&] { s[cache_a].compute_at(s[c], a0); }, "compute_at", "ax0", "it is no loop of C");
  expect_refused([&] { s[c].compute_at(s[cache_a], a0); }, "compute_at", "C", "it is an output");
  Schedule other = create_schedule(c);
  expect_refused([&] { s[cache_a].compute_at(other[c], i); }, "compute_at", "A.cache",
                 "the consumer belongs to another schedule");
}

TEST_F(ComputeAt, RefusesLoopsThatAreGone) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[c].split(i, factor(4));
  expect_refused([&] { s[cache].compute_at(s[c], i); }, "compute_at", "i", "it was replaced by other loops of C");
}

TEST(ComputeAtOutputs, RefusesACircle) {
  // C reads B. Attaching B's consumer inside B would leave nothing to compute first; it is refused because a consumer
  // is never computed inside its producer.
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor b = compute({8}, [&](Expr i) { return a(i) + 1.0; }, "B");
  const Tensor c = compute({8}, [&](Expr i) { return b(i) + 1.0; }, "C");
  const Tensor d = compute({8}, [&](Expr i) { return c(i) + 1.0; }, "D");
  Schedule s = create_schedule(d);
  s[b].compute_at(s[c], s[c].axis(0));
  EXPECT_THROW(s[c].compute_at(s[b], s[b].axis(0)), ScheduleError);
  s[c].compute_at(s[d], s[d].axis(0));
  EXPECT_EQ(s.state().stages[0].attach.stage, 1);
  EXPECT_EQ(s.state().stages[1].attach.stage, 2);
}

}  // namespace
}  // namespace nestwright
