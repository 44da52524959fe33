#include "nestwright/schedule.h"

#include <filesystem>
#include <set>

#include "matmul_fixture.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

/// Applies the primitives of a tuned matmul: packing, blocks of the reduction, a register tile.
void schedule_as_a_template_does(Schedule& s, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {c});
  const auto panels =
      s.transform_layout(packed, [](auto at) { return std::vector<Expr>{at[1] / 16, at[0], at[1] % 16}; });
  s[packed].vectorize(panels[2]);
  s[packed].parallel(panels[0]);
  const auto [i0, i1] = s[c].split(s[c].axis(0), factor(14), Tail::compose({14, 8}));
  const auto [j0, j1] = s[c].split(s[c].axis(1), nparts(3), Tail::predicate());
  const auto [k0, k1] = s[c].split(s[c].reduce_axis(0), factor(8), Tail::partition());
  s[c].reorder({i0, j0, k0, i1, j1});
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, k0);
  s[tile].compute_at(s[c], k0);
  s[tile].reorder({k1, s[tile].axis(0), s[tile].axis(1)});
  s[tile].vectorize(s[tile].axis(1));
  s[tile].unroll(s[tile].axis(0));
  s[tile].prefetch(a, k1, 4);
  s[c].unroll(i1);
  s[c].vectorize(j1);
  s[c].parallel(i0);
}

class TraceTest : public MatmulSchedule {};

TEST_F(TraceTest, ReadsLikeThePrimitives) {
  schedule_as_a_template_does(s, a, b, c);
  EXPECT_EQ(s.trace().str(),
            "cache_read B global C\n"
            "transform_layout B.cache 1/16 0 1%16\n"
            "vectorize B.cache.3\n"
            "parallel B.cache.2\n"
            "split C.0 factor=14 tail=compose{14,8}\n"
            "split C.1 nparts=3 tail=predicate\n"
            "split C.2 factor=8 tail=partition\n"
            "reorder C.3 C.5 C.7 C.4 C.6\n"
            "cache_write C register below=C.7\n"
            "compute_at C.tile C.6\n"
            "reorder C.tile.3 C.tile.0 C.tile.1\n"
            "vectorize C.tile.1\n"
            "unroll C.tile.0\n"
            "prefetch A C.tile.3 4\n"
            "unroll C.3\n"
            "vectorize C.5\n"
            "parallel C.2\n");
}

TEST_F(TraceTest, RoundTripsAndReplays) {
  schedule_as_a_template_does(s, a, b, c);
  const Trace parsed = Trace::parse(s.trace().str());
  EXPECT_EQ(parsed, s.trace());
  Schedule again = create_schedule(c);
  parsed.replay(again);
  EXPECT_EQ(again.str(), s.str());
  EXPECT_EQ(again.trace(), s.trace());
}

TEST_F(TraceTest, ReplaysOnAnotherCopyOfTheExpression) {
  schedule_as_a_template_does(s, a, b, c);
  const Tensor x = placeholder({64, 32}, kFloat32, "A"), y = placeholder({32, 48}, kFloat32, "B");
  const IterVar own = reduce_axis(32, "k");
  Schedule elsewhere = create_schedule(product(x, y, own));
  s.trace().replay(elsewhere);
  EXPECT_EQ(elsewhere.str(), s.str());
}

TEST(TraceReplay, HasAFunctionForEachPrimitive) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(NESTWRIGHT_SOURCE_DIR "/src/schedule/primitives")) {
    files.insert(entry.path().stem());
  }
  for (const char* part : {"primitive", "cache_write_below"}) EXPECT_EQ(files.erase(part), 1u);
  EXPECT_THAT(traced_primitives(), ::testing::ElementsAreArray(files));
}

TEST(TraceReplay, CoversTheRemainingPrimitives) {
  const Tensor a = placeholder({12, 10}, kFloat32, "T");
  const Tensor b = compute({12, 10}, [&](Expr i, Expr j) { return a(i, j) + 1.0; }, "T");
  const Tensor c = compute({12, 10}, [&](Expr i, Expr j) { return b(i, j) * 2.0; }, "C");
  const Tensor d = compute({12, 10}, [&](Expr i, Expr j) { return c(i, j) * c(i, j); }, "D");
  Schedule s = create_schedule(d);
  s[b].compute_inline();
  const Tensor tile = s.cache_write(d, ir::Scope::kLocal);
  const auto [i0, j0, i1, j1] = s[d].tile(s[d].axis(0), s[d].axis(1), 4, 3);
  s[tile].compute_at(s[d], j0);
  s[c].compute_at(s[d], i0).set_scope(ir::Scope::kLocal);
  s[c].compute_root();
  s[d].fuse(i1, j1);
  Schedule again = create_schedule(d);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
  EXPECT_EQ(again.trace(), s.trace());
}

std::string failure(Schedule& s, const std::string& text) {
  return message<Error>([&] { Trace::parse(text).replay(s); });
}

TEST_F(TraceTest, RefusesMalformedText) {
  EXPECT_THAT(failure(s, "split\n"), HasSubstr("line 1 of the trace is no primitive with its arguments: 'split'"));
  EXPECT_THAT(failure(s, "unroll C.0\n\n"), HasSubstr("line 2 of the trace"));
  EXPECT_THAT(failure(s, "dance C.0\n"), HasSubstr("the trace names 'dance', which is no primitive"));
  EXPECT_THAT(failure(s, "split C.0 factor=x tail=guard\n"), HasSubstr("argument 'factor=x' is malformed"));
  EXPECT_THAT(failure(s, "split C.0 factor=4\n"), HasSubstr("has too few arguments"));
  EXPECT_THAT(failure(s, "split C.0 4 tail=guard\n"), HasSubstr("argument '4' is malformed"));
  EXPECT_THAT(failure(s, "unroll C\n"), HasSubstr("argument 'C' is malformed"));
  EXPECT_THAT(failure(s, "unroll C.9\n"), HasSubstr("the trace names a loop that this schedule does not have"));
  EXPECT_THAT(failure(s, "unroll D.0\n"), HasSubstr("the trace names a loop that this schedule does not have"));
  EXPECT_THAT(failure(s, "cache_read D local C\n"),
              HasSubstr("the trace names a tensor that this schedule does not have"));
  EXPECT_THAT(failure(s, "cache_read B nowhere C\n"), HasSubstr("argument 'nowhere' is malformed"));
  EXPECT_THAT(failure(s, "vectorize C.2\n"), HasSubstr("vectorize of k: "));
  EXPECT_TRUE(s.trace().steps().empty());
}

TEST_F(TraceTest, RefusesAScheduleThatWasTouched) {
  s[c].unroll(k);
  EXPECT_THAT(failure(s, "parallel C.0\n"), HasSubstr("a trace is replayed on a schedule to which nothing was done"));
}

}  // namespace
}  // namespace nestwright
