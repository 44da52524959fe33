// vectorize, unroll, parallel and set_scope.
#include "matmul_fixture.h"

namespace nestwright {
namespace {

class Vectorize : public MatmulSchedule {};
class Unroll : public MatmulSchedule {};
class Parallel : public MatmulSchedule {};
class SetScope : public MatmulSchedule {};

TEST_F(Vectorize, MarksTheLoop) {
  const auto [outer, inner] = s[c].split(j, factor(16));
  s[c].vectorize(inner);
  EXPECT_EQ(stage(c).kinds.at(inner), ir::LoopKind::kVectorized);
  EXPECT_EQ(stage(c).kinds.size(), 1u);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"vectorize", {"C.4"}}));
}

TEST_F(Vectorize, RefusesWhatCannotBeLanes) {
  expect_refused([&] { s[c].vectorize(k); }, "vectorize", "k", "use rfactor");
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], i);
  expect_refused([&] { s[c].vectorize(i); }, "vectorize", "i", "B.cache is computed inside it, once a lane");
  s[c].vectorize(j);
  expect_refused([&] { s[c].vectorize(i); }, "vectorize", "i", "j is vectorized already: a stage has one");
  expect_refused([&] { s[c].vectorize(j); }, "vectorize", "j", "it is vectorized already");
  expect_refused([&] { s[cache].compute_at(s[c], j); }, "compute_at", "j", "once a lane");
}

TEST_F(Unroll, MarksTheLoop) {
  s[c].unroll(k);
  EXPECT_EQ(stage(c).kinds.at(k), ir::LoopKind::kUnrolled);
  expect_refused([&] { s[c].unroll(k); }, "unroll", "k", "it is unrolled already");
}

TEST_F(Parallel, MarksTheLoop) {
  s[c].parallel(i);
  EXPECT_EQ(stage(c).kinds.at(i), ir::LoopKind::kParallel);
}

TEST_F(Parallel, RefusesReductionsAndASecondLoop) {
  expect_refused([&] { s[c].parallel(k); }, "parallel", "k", "use rfactor");
  s[c].parallel(i);
  expect_refused([&] { s[c].parallel(j); }, "parallel", "j", "i is parallel already: fuse them");
  expect_refused([&] { s[c].vectorize(i); }, "vectorize", "i", "it is parallel already");
}

TEST_F(SetScope, MovesACache) {
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  s[cache].set_scope(ir::Scope::kLocal);
  EXPECT_EQ(stage(cache).scope, ir::Scope::kLocal);
}

TEST_F(SetScope, RefusesToMoveAnOutput) {
  expect_refused([&] { s[c].set_scope(ir::Scope::kLocal); }, "set_scope", "C", "it is an output");
  s[c].set_scope(ir::Scope::kGlobal);
}

}  // namespace
}  // namespace nestwright
