// prepare: what it records, and what it refuses.
#include "doubled.h"
#include "nestwright/tensor.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(Prepare, IsNotedAndReplayed) {
  Schedule s = create_schedule(result);
  s[doubled].prepare();
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"prepare", {"B"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("B: float32[32, 48] in global, prepared\n"));
  Schedule again = create_schedule(result);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST(Prepare, IsTakenBackByComputeRoot) {
  Schedule s = create_schedule(result);
  s[doubled].prepare().compute_root();
  EXPECT_EQ(s.state().stages.front().attach.kind, AttachKind::kRoot);
  s[doubled].prepare().compute_at(s[result], s[result].axis(0));
  EXPECT_EQ(s.state().stages.front().attach.kind, AttachKind::kAt);
}

TEST(Prepare, RefusesAnOutput) {
  Schedule s = create_schedule(result);
  EXPECT_EQ(message<ScheduleError>([&] { s[result].prepare(); }),
            "prepare of C: it is an output, which every call computes anew");
}

TEST(Prepare, RefusesWhatIsDoubleBuffered) {
  Schedule s = create_schedule(result);
  s[doubled].compute_at(s[result], s[result].axis(0)).double_buffer();
  EXPECT_EQ(message<ScheduleError>([&] { s[doubled].prepare(); }),
            "prepare of B: it is double-buffered, but before the calls there is no loop around it, whose iterations "
            "alternate between the buffers");
}

TEST(Prepare, RefusesTheTileOfABlockedReduction) {
  const Tensor left = placeholder({8, 32}, kFloat32, "L"), right = placeholder({32, 8}, kFloat32, "R");
  const IterVar k = reduce_axis(32, "k");
  const Tensor product = compute({8, 8}, [&](Expr i, Expr j) { return sum(left(i, k) * right(k, j), k); }, "P");
  Schedule s = create_schedule(product);
  const auto blocks = s[product].split(s[product].reduce_axis(0), factor(8)).first;
  const Tensor tile = s.cache_write(product, ir::Scope::kLocal, blocks);
  EXPECT_EQ(message<ScheduleError>([&] { s[tile].prepare(); }),
            "prepare of P.tile: it is the tile of a blocked reduction: attach it inside the loop of the blocks");
}

TEST(Prepare, RefusesAStepOfAScan) {
  const Tensor x = placeholder({16, 8}, kFloat32, "X");
  const Tensor state = placeholder({16, 8}, kFloat32, "S");
  const Tensor init = compute({1, 8}, [&](Expr, Expr j) { return x(0, j); }, "init");
  const Tensor update = compute({16, 8}, [&](Expr t, Expr j) { return state(t - 1, j) + x(t, j); }, "update");
  const Tensor sums = scan(init, update, state, {x}, "sums");
  Schedule s = create_schedule(sums);
  EXPECT_THAT(message<ScheduleError>([&] { s[update].prepare(); }), ::testing::HasSubstr("which every call runs anew"));
}

}  // namespace
}  // namespace nestwright
