// Random programs find bugs that are planted after the lowering, and shrink to a few lines.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "tests/property/campaign.h"
#include "tests/property/shrink.h"

namespace nestwright::property {
namespace {

/// Drops the last iteration of serial inner loops of constant extent above three.
class ShorterLoops : public ir::Mutator {
 public:
  using Mutator::mutate;
  ir::Stmt mutate(const ir::Stmt& s) override {
    const ir::Stmt inner = mutate_children(s);
    const auto* loop = inner.as<ir::For>();
    const std::int64_t* extent = loop != nullptr ? ir::as_const_int(loop->extent) : nullptr;
    if (extent == nullptr || *extent <= 3 || loop->kind != ir::LoopKind::kSerial) return inner;
    return ir::make_for(loop->var, loop->min, Expr(*extent - 1), loop->kind, loop->body);
  }
};

ir::Program plant(const ir::Program& program) {
  ir::Program result = program;
  for (ir::Kernel& kernel : result.kernels) kernel.body = ShorterLoops().mutate(kernel.body);
  return result;
}

/// The first failing case with the planted bug.
Tried find_planted(bool (*accepts)(const Expression&) = [](const Expression&) { return true; }) {
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    const Goal goal = draw_goal(seed);
    ExpressionChoices choices = draw_expression(seed);
    if (choices.size() < 3) continue;
    std::optional<Expression> expression;
    try {
      expression = make_expression(choices, goal.expression);
      Case made{{}, goal, draw_schedule(*expression, goal, seed).schedule.trace(), seed, {}};
      if (made.trace.steps().size() < 4 || !accepts(*expression)) continue;
      for (const Choices& compute : choices) made.computes.push_back(compute.recorded());
      Tried tried = try_case(made, plant);
      if (tried.outcome.verdict == Verdict::kDiffers && try_case(made).outcome.verdict == Verdict::kAgrees)
        return tried;
    } catch (const UsageError&) {  // a refused expression
    }
  }
  return {};
}

TEST(Shrinking, LeavesLittleOfACaseWithAPlantedBug) {
  const Tried found = find_planted();
  ASSERT_EQ(found.outcome.verdict, Verdict::kDiffers);
  EXPECT_THAT(explain({2222, found}, 0), ::testing::StartsWith("again: nestwright-soak --case 2222\n"));
  ASSERT_EQ(found.outcome.verdict, Verdict::kDiffers) << "no program shows the planted bug";
  const Tried small = shrink(found, 1500, plant);
  EXPECT_EQ(small.outcome.verdict, Verdict::kDiffers);
  // One unscheduled compute with a loop of four iterations suffices.
  EXPECT_EQ(small.made.computes.size(), 1u) << report(small);
  EXPECT_THAT(small.made.trace.steps(), ::testing::IsEmpty()) << report(small);
  EXPECT_THAT(report(small), ::testing::HasSubstr("T0")) << report(small);
  EXPECT_THAT(report(small), ::testing::HasSubstr("0..3")) << report(small);
  EXPECT_EQ(try_case(small.made).outcome.verdict, Verdict::kAgrees) << "it fails without the planted bug as well";
}

/// Expects that a scan, a reduction of tuples or a tile shrinks to a case without them, which shows the bug as well.
void expect_small(bool (*accepts)(const Expression&)) {
  const Tried found = find_planted(accepts);
  ASSERT_EQ(found.outcome.verdict, Verdict::kDiffers) << "no program shows the planted bug";
  const Tried small = shrink(found, 1500, plant);
  EXPECT_EQ(small.outcome.verdict, Verdict::kDiffers);
  EXPECT_EQ(small.made.computes.size(), 1u) << report(small);
  EXPECT_LE(small.made.trace.steps().size(), 1u) << report(small);
  EXPECT_EQ(try_case(small.made).outcome.verdict, Verdict::kAgrees) << "it fails without the planted bug as well";
}

TEST(Shrinking, LeavesLittleOfACaseWithAScan) {
  expect_small([](const Expression& e) { return e.scans > 0; });
}
TEST(Shrinking, LeavesLittleOfACaseWithATile) {
  expect_small([](const Expression& e) { return !e.tiles.empty(); });
}
TEST(Shrinking, LeavesLittleOfACaseWithATuple) {
  expect_small([](const Expression& e) {
    return std::count(e.reducers.begin(), e.reducers.end(), ir::ReducerKind::kCustom) > 0;
  });
}

TEST(Shrinking, TellsTheCommandThatRepeatsTheCase) {
  const Tried found = find_planted();
  EXPECT_THAT(report(found), ::testing::HasSubstr("--- expression"));
  EXPECT_THAT(report(found), ::testing::HasSubstr("--- trace"));
  EXPECT_THAT(report(found), ::testing::HasSubstr("--- programs"));
}

}  // namespace
}  // namespace nestwright::property
