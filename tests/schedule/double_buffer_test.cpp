// double_buffer: what it records, and what it refuses.
#include "matmul_fixture.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

class DoubleBuffer : public MatmulSchedule {
 protected:
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});

  void refused(const std::function<void()>& misuse, const std::string& primitive, const std::string& subject,
               const std::string& reason) {
    expect_refused(misuse, primitive, subject, reason);
    try {
      misuse();
    } catch (const ScheduleError& e) {
      EXPECT_EQ(e.reason(), reason);
    }
  }
};

TEST_F(DoubleBuffer, IsNotedAndReplayed) {
  s[cache].compute_at(s[c], i);
  s[cache].double_buffer();
  EXPECT_EQ(stage(cache).slots, 2);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"double_buffer", {"B.cache"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("B.cache: float32[32, 48] in local, at i of C\n  double-buffered at i\n"));
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
  EXPECT_EQ(again.trace(), s.trace());
}

TEST_F(DoubleBuffer, OfMoreStages) {
  s[cache].compute_at(s[c], i);
  s[cache].double_buffer(4);
  EXPECT_EQ(stage(cache).slots, 4);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"double_buffer", {"B.cache", "stages=4"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("  double-buffered at i in 4 stages\n"));
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
  EXPECT_EQ(again.trace(), s.trace());
}

TEST_F(DoubleBuffer, RefusesANumberOfStages) {
  s[cache].compute_at(s[c], i);
  const auto reason = [](int stages) {
    return std::to_string(stages) +
           " stages were asked for, but there can be from 2 to 8: one is filled while another is read";
  };
  for (const int stages : {-1, 0, 1, 9}) {
    refused([&] { s[cache].double_buffer(stages); }, "double_buffer", "B.cache", reason(stages));
  }
  Schedule again = create_schedule(c);
  EXPECT_THROW(
      Trace::parse("cache_read B local C\ncompute_at B.cache C.0\ndouble_buffer B.cache stages=1\n").replay(again),
      ScheduleError);
  Schedule malformed = create_schedule(c);
  EXPECT_THROW(
      Trace::parse("cache_read B local C\ncompute_at B.cache C.0\ndouble_buffer B.cache 3\n").replay(malformed),
      UsageError);
}

TEST_F(DoubleBuffer, StaysWhenTheStageMovesToAnotherLoop) {
  s[cache].compute_at(s[c], i);
  s[cache].double_buffer();
  s[cache].compute_at(s[c], j);
  EXPECT_EQ(stage(cache).slots, 2);
  s[c].unroll(j);
  EXPECT_THAT(s.str(), ::testing::HasSubstr("double-buffered at j\n"));
}

TEST_F(DoubleBuffer, RefusesAStageWithoutALoop) {
  refused([&] { s[cache].double_buffer(); }, "double_buffer", "B.cache",
          "it is computed at root, where there is no loop around it: compute_at a loop first, whose iterations "
          "alternate between the buffers");
  refused([&] { s[c].double_buffer(); }, "double_buffer", "C",
          "it is computed at root, where there is no loop around it: compute_at a loop first, whose iterations "
          "alternate between the buffers");
  s[cache].compute_at(s[c], i);
  s[cache].double_buffer();
  refused([&] { s[cache].double_buffer(); }, "double_buffer", "B.cache", "it is double-buffered already");
  refused(
      [&] { s[cache].compute_root(); }, "compute_root", "B.cache",
      "it is double-buffered, but at root there is no loop around it, whose iterations alternate between the buffers");
  expect_refused([&] { s[cache].compute_inline(); }, "compute_inline", "B.cache", "it was scheduled already");
}

TEST_F(DoubleBuffer, RefusesRegisters) {
  s[cache].compute_at(s[c], i);
  s[cache].set_scope(ir::Scope::kRegister);
  refused([&] { s[cache].double_buffer(); }, "double_buffer", "B.cache",
          "it is kept in registers, which cannot be told apart by the iteration: use local scope");
  s[cache].set_scope(ir::Scope::kFragment);
  refused([&] { s[cache].double_buffer(); }, "double_buffer", "B.cache",
          "it is kept in registers, which cannot be told apart by the iteration: use local scope");
  s[cache].set_scope(ir::Scope::kLocal).double_buffer();
  for (const ir::Scope scope : {ir::Scope::kRegister, ir::Scope::kFragment}) {
    refused([&] { s[cache].set_scope(scope); }, "set_scope", "B.cache",
            "it is double-buffered, and registers cannot be told apart by the iteration");
  }
}

TEST_F(DoubleBuffer, RefusesALoopWithoutOrder) {
  const std::string reason =
      "B.cache is double-buffered there, so that its iterations come one after the other: they can be serial or "
      "unrolled";
  s[cache].compute_at(s[c], i);
  s[c].parallel(i);
  refused([&] { s[cache].double_buffer(); }, "double_buffer", "i", reason);
  s[cache].compute_at(s[c], j);
  s[cache].double_buffer();
  refused([&] { s[cache].compute_at(s[c], i); }, "compute_at", "i", reason);
  refused([&] { s[c].bind(j, ir::LoopKind::kThreadX); }, "bind", "j", reason);
  expect_refused([&] { s[c].vectorize(j); }, "vectorize", "j", "B.cache");
  s[c].unroll(j);
}

TEST_F(DoubleBuffer, RefusesTheTileOfABlockedReduction) {
  const auto [ko, ki] = s[c].split(k, factor(8));
  s[c].reorder({ko, i, j});
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal, ko);
  s[tile].compute_at(s[c], i);
  refused([&] { s[tile].double_buffer(); }, "double_buffer", "C.tile",
          "it is the tile of a blocked reduction, which starts from the block before");
}

TEST(DoubleBufferOfAScan, IsRefused) {
  const Var m = var("m"), n = var("n");
  const Tensor X = placeholder({m, n}, kFloat32, "X"), state = placeholder({m, n}, kFloat32, "state");
  const Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  const auto reason = [&](const Tensor& part) {
    try {
      s[part].double_buffer();
    } catch (const ScheduleError& e) {
      return e.reason();
    }
    return std::string("not refused");
  };
  EXPECT_EQ(reason(Y), "it is a scan, all of whose rows are kept: cache_write makes a stage of its own");
  EXPECT_EQ(reason(init), "it is init of scan Y, all of whose rows are kept: cache_write makes a stage of its own");
  EXPECT_EQ(reason(update), "it is update of scan Y, all of whose rows are kept: cache_write makes a stage of its own");
}

}  // namespace
}  // namespace nestwright
