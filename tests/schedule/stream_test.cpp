// stream: what it records, and what it refuses.
#include "doubled.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(Stream, IsNotedAndReplayed) {
  Schedule s = create_schedule(result);
  s[result].stream();
  EXPECT_TRUE(s.state().stages.back().non_temporal);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"stream", {"C"}}));
  EXPECT_THAT(s.str(),
              ::testing::HasSubstr("C: float32[32, 48] in global, at root, output\n  stores bypass the caches\n"));
  Schedule again = create_schedule(result);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST(Stream, StaysWithTheCopyThatCacheWriteMakes) {
  Schedule s = create_schedule(result);
  s[result].stream();
  const Tensor tile = s.cache_write(result, ir::Scope::kLocal);
  for (const StageState& stage : s.state().stages) EXPECT_EQ(stage.non_temporal, stage.is_output) << stage.name;
  s[tile].compute_at(s[result], s[result].axis(0));
}

TEST(Stream, RefusesWhatTheKernelReadsAgain) {
  Schedule s = create_schedule(result);
  EXPECT_EQ(message<ScheduleError>([&] { s[doubled].stream(); }),
            "stream of B: it is no output, and the kernel itself reads it again");
  s[result].stream();
  EXPECT_EQ(message<ScheduleError>([&] { s[result].stream(); }), "stream of C: it streams already");
  const IterVar k = reduce_axis(48, "k");
  const Tensor sums = compute({32}, [&](Expr i) { return sum(a(i, k), k); }, "S");
  Schedule reduction = create_schedule(sums);
  EXPECT_EQ(message<ScheduleError>([&] { reduction[sums].stream(); }),
            "stream of S: it is a reduction, which reads what it stored: cache_write makes a stage of its own of it");
}

}  // namespace
}  // namespace nestwright
