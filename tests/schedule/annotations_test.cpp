// vectorize, unroll, parallel, pragma, storage_align and set_scope.
#include "matmul_fixture.h"
#include "nestwright/tensor.h"
#include "tests/support/message.h"

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

TEST_F(Vectorize, RefusesHugeVectors) {
  const Tensor wide = compute(
      {kMaxVectorizedIterations, kMaxVectorizedIterations + 1}, [](Expr x, Expr) { return ir::cast(kFloat32, x); },
      "W");
  Schedule own = create_schedule(wide);
  EXPECT_THROW(own[wide].vectorize(own[wide].axis(1)), ScheduleError);
  own[wide].vectorize(own[wide].axis(0));
  s = create_schedule(wide);
  expect_refused(
      [&] { s[wide].vectorize(s[wide].axis(1)); }, "vectorize", "j",
      "it has 65537 iterations, more than the 65536 that can be vectorized: split it and vectorize the inner loop");
}

TEST_F(Vectorize, APartOfALongAxisIsLimitedByTheLowering) {
  const Tensor a = placeholder({4, kMaxVectorizedIterations + 1}, kFloat32, "A");
  const Tensor wide = compute({4, kMaxVectorizedIterations + 1}, [&](Expr x, Expr y) { return a(x, y); }, "W");
  s = create_schedule(wide);
  const Tensor cache = s.cache_read(a, ir::Scope::kGlobal, {wide});
  expect_refused(
      [&] { s[cache].vectorize(s[cache].axis(1)); }, "vectorize", "ax1",
      "it has 65537 iterations, more than the 65536 that can be vectorized: split it and vectorize the inner loop");
  const auto [outer, inner] = s[wide].split(s[wide].axis(1), factor(8));
  s[cache].compute_at(s[wide], outer).vectorize(s[cache].axis(1));
  EXPECT_EQ(stage(cache).kinds.at(s[cache].axis(1)), ir::LoopKind::kVectorized);
}

TEST_F(Vectorize, CountsWhatASplitByMoreThanTheExtentRuns) {
  const auto [all, inside] = s[c].split(i, factor(1 << 20));
  s[c].vectorize(inside);
  EXPECT_EQ(stage(c).kinds.at(inside), ir::LoopKind::kVectorized);
  s = create_schedule(c);
  const auto [outer, inner] = s[c].split(s[c].fuse(i, j), factor(std::int64_t{1} << 40));
  const auto [vectors, lanes] = s[c].split(inner, factor(std::int64_t{1} << 20));
  s[c].vectorize(lanes);

  const Tensor wide = compute({kMaxVectorizedIterations + 1}, [](Expr x) { return ir::cast(kFloat32, x); }, "W");
  Schedule own = create_schedule(wide);
  const IterVar huge = own[wide].split(own[wide].axis(0), factor(1 << 20)).second;
  EXPECT_EQ(message<ScheduleError>([&] { own[wide].vectorize(huge); }),
            "vectorize of i.inner: it has 65537 iterations, more than the 65536 that can be vectorized: split it and "
            "vectorize the inner loop");
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

class Pragma : public MatmulSchedule {};
class StorageAlign : public MatmulSchedule {};

TEST_F(Pragma, IsNotedAtItsLoop) {
  s[c].pragma(i, "auto_unroll", 64);
  ASSERT_EQ(stage(c).pragmas.size(), 1u);
  EXPECT_EQ(stage(c).pragmas[0].loop, i);
  EXPECT_EQ(stage(c).pragmas[0].value, 64);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"pragma", {"C.0", "auto_unroll", "64"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("  auto_unroll 64 at i\n"));
  Schedule again = create_schedule(c);
  s.trace().replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Pragma, RefusesOtherNamesAndValues) {
  expect_refused([&] { s[c].pragma(i, "unroll_explicit", 1); }, "pragma", "i",
                 "'unroll_explicit' is no pragma: known are auto_unroll, in_threads and estrin");
  expect_refused([&] { s[c].pragma(i, "auto_unroll", 0); }, "pragma", "i", "auto_unroll takes 1 to 20000 steps, not 0");
  expect_refused([&] { s[c].pragma(i, "estrin", 2); }, "pragma", "i", "estrin takes 1, not 2");
  s[c].pragma(i, "auto_unroll", 8);
  expect_refused([&] { s[c].pragma(i, "auto_unroll", 9); }, "pragma", "i", "it has auto_unroll 8 already");
  expect_refused([&] { s[c].split(i, factor(4)); }, "split", "i", "it has pragma auto_unroll: give it afterwards");
  expect_refused([&] { s[c].pragma(j, "in_threads", 1); }, "pragma", "j", "in_threads is for the time of a scan");
}

TEST_F(Pragma, OfAScanIsNotedAtItsTime) {
  const Tensor X = placeholder({5, 4}, kFloat32, "X"), state = placeholder({5, 4}, kFloat32, "S");
  const Tensor init = compute({1, 4}, [&](Expr, Expr column) { return X(0, column); }, "init");
  const Tensor update =
      compute({5, 4}, [&](Expr step, Expr column) { return state(step - 1, column) + X(step, column); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule recurrence = create_schedule(Y);
  const IterVar t = recurrence[Y].axis(0);
  expect_refused([&] { recurrence[Y].pragma(t, "in_threads", 2); }, "pragma", "t", "in_threads takes 1, not 2");
  recurrence[Y].pragma(t, "in_threads", 1);
  EXPECT_THAT(recurrence.str(), ::testing::HasSubstr("  in_threads 1 at t\n"));
  expect_refused([&] { recurrence[Y].pragma(t, "auto_unroll", 9); }, "pragma", "t", "it has in_threads 1 already");
  Schedule again = create_schedule(Y);
  recurrence.trace().replay(again);
  EXPECT_EQ(again.str(), recurrence.str());
}

TEST_F(StorageAlign, IsNotedAtItsAxis) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].storage_align(s[cache].axis(0), 16, 1);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"storage_align", {"B.cache.0", "16", "1"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("  stride of ax0 is 1 modulo 16\n"));
  Schedule again = create_schedule(c);
  s.trace().replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(StorageAlign, RefusesWhatHasNoRowsOfItsOwn) {
  expect_refused([&] { s[c].storage_align(i, 16, 1); }, "storage_align", "C", "it is an output");
  const Tensor cache = s.cache_read(b, ir::Scope::kRegister, {c});
  const IterVar row = s[cache].axis(0);
  expect_refused([&] { s[cache].storage_align(row, 16, 1); }, "storage_align", "B.cache",
                 "it is kept in registers, which have no rows");
  s[cache].set_scope(ir::Scope::kFragment);
  expect_refused([&] { s[cache].storage_align(row, 16, 1); }, "storage_align", "B.cache",
                 "it is kept in registers, which have no rows");
  s[cache].set_scope(ir::Scope::kLocal);
  expect_refused([&] { s[cache].storage_align(i, 16, 1); }, "storage_align", "i",
                 "it is no dimension that B.cache is stored by: name an axis of its operation");
  expect_refused([&] { s[cache].storage_align(row, 0, 0); }, "storage_align", "ax0", "factor 0 is below 1");
  expect_refused([&] { s[cache].storage_align(row, std::int64_t{1} << 56, 0); }, "storage_align", "ax0",
                 "factor 72057594037927936 is above 1048576");
  expect_refused([&] { s[cache].storage_align(row, 16, 16); }, "storage_align", "ax0",
                 "offset 16 is not in 0..16, as a remainder by the factor is");
  s[cache].storage_align(row, 16, 1);
  expect_refused([&] { s[cache].storage_align(row, 16, 1); }, "storage_align", "ax0", "it is aligned to 16 already");
  expect_refused([&] { s[cache].set_scope(ir::Scope::kRegister); }, "set_scope", "B.cache",
                 "its rows are aligned by storage_align");
  expect_refused([&] { s.transform_layout(cache, [](auto at) { return std::vector<Expr>{at[1], at[0]}; }); },
                 "transform_layout", "B.cache", "it was scheduled already");
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
