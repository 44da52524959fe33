#include "matmul_fixture.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class CacheRead : public MatmulSchedule {
 protected:
  std::string value(const Tensor& t) const {
    const Expr& body = stage(t).op.compute()->bodies[0];
    const auto* reduce = body.as<ir::Reduce>();
    return ir::to_string(reduce != nullptr ? reduce->values[0] : body);
  }
};

TEST_F(CacheRead, PutsACopyBeforeTheReader) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  EXPECT_EQ(cache.name(), "B.cache");
  EXPECT_EQ(to_string(cache), "B.cache: float32[32, 48]");
  EXPECT_EQ(index(cache), 0);
  EXPECT_EQ(index(c), 1);
  EXPECT_EQ(value(cache), "B[ax0, ax1]");
  EXPECT_EQ(value(c), "A[i, k]*B.cache[k, j]");
  EXPECT_EQ(stage(cache).scope, ir::Scope::kLocal);
  EXPECT_EQ(stage(cache).copy_of, b);
  EXPECT_EQ(stage(c).op->inputs, (std::vector<Operation>{a.op(), cache.op()}));
  EXPECT_EQ(stage(c).op->results[0], c.buffer()) << "whoever reads C need not change";
  EXPECT_THAT(loops(c), ElementsAre("i", "j", "k"));
  EXPECT_EQ(s[c].reduce_axis(0), k);
  EXPECT_EQ(s.trace().str(), "cache_read B local C\n");
}

TEST_F(CacheRead, KeepsWhatWasDoneToTheReader) {
  const auto [i0, i1] = s[c].split(i, factor(8));
  s[c].parallel(i0);
  s.cache_read(a, ir::Scope::kLocal, {c});
  EXPECT_THAT(loops(c), ElementsAre("i.outer", "i.inner", "j", "k"));
  EXPECT_EQ(stage(c).kinds.at(i0), ir::LoopKind::kParallel);
}

TEST_F(CacheRead, MayBeCachedAgain) {
  const Tensor outer = s.cache_read(b, ir::Scope::kGlobal, {c});
  const Tensor inner = s.cache_read(outer, ir::Scope::kRegister, {c});
  const Tensor second = s.cache_read(b, ir::Scope::kLocal, {outer});
  EXPECT_EQ(inner.name(), "B.cache.cache");
  EXPECT_EQ(second.name(), "B.cache_2");
  EXPECT_EQ(value(c), "A[i, k]*B.cache.cache[k, j]");
  EXPECT_EQ(value(inner), "B.cache[ax0, ax1]");
  EXPECT_EQ(value(outer), "B.cache_2[ax0, ax1]");
  EXPECT_EQ(index(second), 0);
  EXPECT_EQ(stage(inner).op->inputs, std::vector<Operation>{stage(outer).op});
}

TEST_F(CacheRead, RefusesWhatIsNotRead) {
  const Tensor foreign = placeholder({4}, kFloat32, "F");
  expect_refused([&] { s.cache_read(foreign, ir::Scope::kLocal, {c}); }, "cache_read", "F", "no part of this schedule");
  expect_refused([&] { s.cache_read(Tensor(), ir::Scope::kLocal, {c}); }, "cache_read", "a tensor", "no part");
  expect_refused([&] { s.cache_read(b, ir::Scope::kLocal, {}); }, "cache_read", "B", "no reader is named");
  expect_refused([&] { s.cache_read(b, ir::Scope::kLocal, {c, c}); }, "cache_read", "B", "reader C is named twice");
  const IterVar n = reduce_axis(8, "n");
  const Tensor row = placeholder({8}, kFloat32, "R");
  const Reducer both("both", {Expr(0.0), Expr(0.0)}, [](std::span<const Expr> left, std::span<const Expr> right) {
    return std::vector<Expr>{left[0] + right[0], left[1] + right[1]};
  });
  const std::vector<Tensor> best =
      compute_tuple({1}, [&](std::span<const Expr>) { return both({row(n), row(n) * 2.0}, {n}); }, "best");
  s = create_schedule(best);
  expect_refused([&] { s.cache_read(row, ir::Scope::kLocal, best); }, "cache_read", "R", "reader best is named twice");
  s = create_schedule(c);
  expect_refused([&] { s.cache_read(b, ir::Scope::kLocal, {a}); }, "cache_read", "A", "it is a placeholder");
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister);
  expect_refused([&] { s.cache_read(b, ir::Scope::kLocal, {c}); }, "cache_read", "B",
                 "C does not read it; it is read by C.tile");
  s[tile].prefetch(b, k, 4);
  expect_refused([&] { s.cache_read(b, ir::Scope::kLocal, {tile}); }, "cache_read", "B", "C.tile prefetches it");
}

TEST(CacheReadOfAStage, ServesTheNamedReadersOnly) {
  const Tensor a = placeholder({8, 6}, kFloat32, "A");
  const Tensor b = compute({8, 6}, [&](Expr i, Expr j) { return a(i, j) + 1.0; }, "B");
  const Tensor c = compute({8, 6}, [&](Expr i, Expr j) { return b(i, j) * 2.0; }, "C");
  const Tensor d = compute({8, 6}, [&](Expr i, Expr j) { return b(i, j) * c(i, j); }, "D");
  Schedule s = create_schedule(d);
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {d});
  ASSERT_EQ(s.state().stages.size(), 4u);
  EXPECT_EQ(s.state().stages[2].origin, cache);
  EXPECT_EQ(s[cache].axis(1).name(), "j") << "axes are named as the source's are";
  EXPECT_EQ(ir::to_string(s.state().stages[1].op.compute()->bodies[0]), "B[i, j]*2.0");
  EXPECT_EQ(ir::to_string(s.state().stages[3].op.compute()->bodies[0]), "B.cache[i, j]*C[i, j]");
}

}  // namespace
}  // namespace nestwright
