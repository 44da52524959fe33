#include "nestwright/schedule.h"

#include "matmul_fixture.h"
#include "nestwright/program.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(MatmulSchedule, StartsWithTheAxesAsLoops) {
  EXPECT_THAT(loops(c), ElementsAre("i", "j", "k"));
  EXPECT_EQ(s[c].reduce_axis(0), k);
  EXPECT_EQ(s[c].tensor(), c);
  const StageState& state = stage(c);
  EXPECT_TRUE(state.is_output);
  EXPECT_EQ(state.name, "C");
  EXPECT_EQ(state.leaves, state.named);
  EXPECT_TRUE(state.relations.empty());
  EXPECT_EQ(state.attach.kind, AttachKind::kRoot);
  EXPECT_EQ(s.state().inputs, (std::vector<Tensor>{a, b}));
  EXPECT_THAT(s.state().input_names, ElementsAre("A", "B"));
  EXPECT_TRUE(s.trace().steps().empty());
}

TEST_F(MatmulSchedule, Prints) {
  EXPECT_EQ(s.str(),
            "C: float32[64, 48] in global, at root, output\n"
            "  for i in 0..64\n"
            "  for j in 0..48\n"
            "  for k in 0..32 (reduction)\n");
}

TEST_F(MatmulSchedule, NothingIsLeftOfOneThatWasMovedFrom) {
  const Schedule moved = std::move(s);
  const std::string expected = "this schedule was moved from: use the one that it was moved to";
  EXPECT_EQ(message<UsageError>([&] { s[c]; }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.str(); }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.trace(); }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.state(); }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.cache_read(a, kLocal, {c}); }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.cache_write(c, kLocal); }), expected);
  EXPECT_EQ(message<UsageError>([&] { s.rfactor(c, k); }), expected);
  EXPECT_EQ(
      message<UsageError>([&] { s.transform_layout(c, [](std::span<const Expr>) { return std::vector<Expr>(); }); }),
      expected);
}

TEST_F(MatmulSchedule, ScopesHaveShortNames) {
  const Tensor cache = s.cache_read(b, kShared, {c});
  EXPECT_EQ(stage(cache).scope, ir::Scope::kShared);
  s[cache].set_scope(kGlobal);
  EXPECT_EQ(stage(cache).scope, ir::Scope::kGlobal);
}

TEST_F(MatmulSchedule, RefusesStagesThatItHasNot) {
  expect_refused([&] { s[a]; }, "stage", "A", "it is a placeholder, which has no loops: cache_read makes a copy");
  const Tensor other = compute({4}, [](Expr x) { return ir::cast(kFloat32, x); }, "O");
  expect_refused([&] { s[other]; }, "stage", "O", "it is no part of this schedule");
  expect_refused([&] { s[Tensor()]; }, "stage", "a tensor", "it is undefined");
  EXPECT_THROW(s[c].axis(2), UsageError);
  EXPECT_THROW(s[c].axis(-1), UsageError);
  EXPECT_THROW(s[c].reduce_axis(1), UsageError);
}

TEST_F(MatmulSchedule, StageHandlesSurviveNewStages) {
  Stage handle = s[c];
  s.cache_read(a, ir::Scope::kLocal, {c});
  handle.unroll(k);
  EXPECT_EQ(stage(c).kinds.at(k), ir::LoopKind::kUnrolled);
  Schedule moved = std::move(s);
  handle.parallel(i);
  EXPECT_EQ(moved.state().stages[1].kinds.at(i), ir::LoopKind::kParallel);
  s = std::move(moved);
}

TEST(CreateSchedule, PutsProducersFirstEachOnce) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor b = compute({8}, [&](Expr i) { return a(i) + 1.0; }, "B");
  const Tensor c = compute({8}, [&](Expr i) { return b(i) * 2.0; }, "C");
  const Tensor d = compute({8}, [&](Expr i) { return c(i) + b(i); }, "D");
  const Schedule s = create_schedule({d, c});
  ASSERT_EQ(s.state().stages.size(), 3u);
  EXPECT_EQ(s.state().find(b.op()), 0);
  EXPECT_EQ(s.state().producer(c.buffer()).stage, 1);
  EXPECT_EQ(s.state().find(d.op()), 2);
  EXPECT_EQ(s.state().find(a.op()), -1);
  EXPECT_EQ(s.state().producer(a.buffer()).stage, -1);
  EXPECT_FALSE(s.state().stages[0].is_output);
  EXPECT_TRUE(s.state().stages[1].is_output);
}

TEST(CreateSchedule, NumbersEqualNames) {
  const Tensor a = placeholder({8}, kFloat32, "T");
  const Tensor b = compute({8}, [&](Expr i) { return a(i) + 1.0; }, "T");
  const Tensor c = compute({8}, [&](Expr i) { return b(i) * 2.0; }, "T");
  const Schedule s = create_schedule(c);
  EXPECT_EQ(s.state().input_names.at(0), "T");
  EXPECT_EQ(s.state().stages.at(0).name, "T_2");
  EXPECT_EQ(s.state().stages.at(1).name, "T_3");
}

TEST(CreateSchedule, RefusesWhatCannotBeScheduled) {
  const Tensor a = placeholder({8, 8}, kFloat32, "A");
  const auto refusal = [](std::vector<Tensor> outputs) -> std::string {
    return message<UsageError>([&] { create_schedule(std::move(outputs)); });
  };
  const IterVar k = reduce_axis(8, "k");
  const Tensor b = compute({8}, [&](Expr i) { return sum(a(i, k), k); }, "B");
  const Tensor c = compute({8}, [&](Expr i) { return sum(a(i, k) * b(k), k); }, "C");
  EXPECT_EQ(refusal({}), "a schedule needs an output");
  EXPECT_THAT(refusal({Tensor()}), HasSubstr("an output of a schedule is undefined"));
  EXPECT_THAT(refusal({a}), HasSubstr("'A' is a placeholder"));
  EXPECT_THAT(refusal({b, b}), HasSubstr("'B' is named twice"));
  EXPECT_THAT(refusal({c}), HasSubstr("reduce axis 'k' is used by both B and C: make one for each tensor"));
}

}  // namespace
}  // namespace nestwright
