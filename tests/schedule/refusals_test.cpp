// All refusals with their whole messages, for reading them in one place. Further refusals of a single primitive are
// tested with that primitive.
#include "matmul_fixture.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class Refusals : public MatmulSchedule {};

TEST_F(Refusals, AReductionThatIsNotAtTheTopLevel) {
  const IterVar l = reduce_axis(32, "l");
  EXPECT_EQ(message<Error>([&] { compute({64}, [&](Expr x) { return sum(a(x, l), l) + 1.0; }, "D"); }),
            "tensor 'D' has a reduction inside its body: make another tensor of it");
}

TEST_F(Refusals, LanesAndThreadsOfAReduction) {
  const std::string use =
      ": it is a reduce axis, whose iterations depend on each other: use rfactor to make partial "
      "results";
  EXPECT_EQ(message<Error>([&] { s[c].vectorize(k); }), "vectorize of k" + use);
  EXPECT_EQ(message<Error>([&] { s[c].parallel(k); }), "parallel of k" + use);
  const auto [ko, ki] = s[c].split(k, factor(4));
  EXPECT_EQ(message<Error>([&, inner = ki] { s[c].vectorize(inner); }), "vectorize of k.inner" + use);
  EXPECT_EQ(message<Error>([&, outer = ko] { s[c].parallel(outer); }), "parallel of k.outer" + use);
  const auto [kio, kii] = s[c].split(ki, factor(2));
  EXPECT_EQ(message<Error>([&, inner = kii] { s[c].vectorize(inner); }), "vectorize of k.inner.inner" + use);
  const IterVar fused = s[c].fuse(ko, kio);
  EXPECT_EQ(message<Error>([&] { s[c].parallel(fused); }), "parallel of k.outer.k.inner.outer" + use);
  s[c].unroll(kii);  // is legal
  EXPECT_EQ(stage(c).kinds.at(kii), ir::LoopKind::kUnrolled);
}

TEST_F(Refusals, ParallelInsideParallel) {
  s[c].parallel(i);
  EXPECT_EQ(message<Error>([&] { s[c].parallel(j); }),
            "parallel of j: i is parallel already: fuse them and make the result parallel");
}

class ThreeStages : public ::testing::Test {
 protected:
  const Tensor a = placeholder({32, 32}, kFloat32, "A");
  const Tensor b = compute({32, 32}, [&](Expr x, Expr y) { return a(x, y) * 2.0; }, "B");
  const Tensor c = compute({32, 32}, [&](Expr x, Expr y) { return b(x, y) + 1.0; }, "C");
  const Tensor d = compute({32, 32}, [&](Expr x, Expr y) { return b(x, y) * c(x, y); }, "D");
  Schedule s = create_schedule(d);
  const IterVar i = s[d].axis(0), j = s[d].axis(1);
};

TEST_F(ThreeStages, ParallelInsideParallelOfAnotherStage) {
  s[d].parallel(i);
  s[c].compute_at(s[d], j);
  s[b].compute_at(s[c], s[c].axis(0));
  const std::string before = s.str();
  EXPECT_EQ(message<Error>([&] { s[b].parallel(s[b].axis(1)); }),
            "parallel of j: B is computed inside loop i of D, which is parallel too: fuse them, or leave one of them "
            "serial");
  EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
}

TEST_F(ThreeStages, ParallelAroundParallelOfAnotherStage) {
  s[b].parallel(s[b].axis(0));
  s[b].compute_at(s[d], j);
  EXPECT_EQ(message<Error>([&] { s[d].parallel(i); }),
            "parallel of i: B is computed inside loop i of D, which is parallel too: fuse them, or leave one of them "
            "serial");
  s[b].compute_root();
  s[d].parallel(i);
  const std::string before = s.str();
  EXPECT_EQ(message<Error>([&] { s[b].compute_at(s[d], j); }),
            "compute_at of i: B is computed inside loop i of D, which is parallel too: fuse them, or leave one of them "
            "serial");
  EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
}

TEST_F(ThreeStages, AReorderThatPutsParallelIntoParallel) {
  s[d].parallel(j);
  s[b].parallel(s[b].axis(0));
  s[b].compute_at(s[d], i);
  const std::string before = s.str();
  EXPECT_EQ(message<Error>([&] { s[d].reorder({j, i}); }),
            "reorder of i: B is computed inside loop j of D, which is parallel too: fuse them, or leave one of them "
            "serial");
  EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
}

TEST_F(ThreeStages, ComputeAtOfWhatIsNoConsumer) {
  EXPECT_EQ(message<Error>([&] { s[c].compute_at(s[b], s[b].axis(0)); }), "compute_at of C: B is not computed from it");
  EXPECT_EQ(message<Error>([&] { s[b].compute_at(s[d], s[c].axis(0)); }), "compute_at of i: it is no loop of D");
}

TEST_F(ThreeStages, AReorderThatLeavesAReaderOutside) {
  s[b].compute_at(s[d], i);
  s[c].compute_at(s[d], j);
  EXPECT_EQ(message<Error>([&] { s[d].reorder({j, i}); }),
            "reorder of i: B is computed there, and C, which reads it, would lie outside");
  s[c].compute_at(s[d], i);
  s[d].reorder({j, i});
  EXPECT_EQ(s[d].loops(), (std::vector<IterVar>{j, i})) << "both stages move along";
}

TEST_F(ThreeStages, LanesAroundAnotherStage) {
  s[b].compute_at(s[d], j);
  s[c].compute_at(s[d], j);
  const std::string before = s.str();
  EXPECT_EQ(message<Error>([&] { s[d].vectorize(i); }),
            "vectorize of i: B is computed inside it, once a lane: attach it to a loop outside the vectorized one");
  EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
  s[b].compute_at(s[d], i);
  s[c].compute_at(s[d], i);
  s[d].vectorize(j);
  EXPECT_EQ(message<Error>([&] { s[b].compute_at(s[d], j); }),
            "compute_at of j: B is computed inside it, once a lane: attach it to a loop outside the vectorized one");
  EXPECT_EQ(message<Error>([&] { s[d].reorder({j, i}); }),
            "reorder of j: B is computed inside it, once a lane: attach it to a loop outside the vectorized one");
}

TEST_F(ThreeStages, LoopsWhereAStageIsComputed) {
  s[b].compute_at(s[d], i);
  EXPECT_EQ(message<Error>([&] { s[d].fuse(i, j); }), "fuse of i: B is computed there: attach it afterwards");
}

TEST_F(ThreeStages, ATileThatLeavesAReaderOutside) {
  s[b].compute_at(s[d], i);
  s[c].compute_at(s[d], j);
  const std::string before = s.str();
  EXPECT_EQ(message<Error>([&] { s[d].tile(j, i, 4, 4); }),
            "tile of i.inner: B is computed there, and C, which reads it, would lie outside");
  EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
  s[c].compute_root();
  s[d].tile(j, i, 4, 4);  // C, which reads B, may be attached later
}

TEST_F(ThreeStages, LoopsOfAnotherStage) {
  const IterVar of_c = s[c].axis(0);
  EXPECT_EQ(message<Error>([&] { s[d].reorder({j, of_c}); }), "reorder of i: it is no loop of D");
  EXPECT_EQ(message<Error>([&] { s[d].fuse(of_c, j); }), "fuse of i: it is no loop of D");
  EXPECT_EQ(message<Error>([&] { s[d].fuse(i, of_c); }), "fuse of i: it is no loop of D");
  EXPECT_EQ(message<Error>([&] { s[d].split(of_c, factor(4)); }), "split of i: it is no loop of D");
  EXPECT_EQ(message<Error>([&] { s[d].parallel(of_c); }), "parallel of i: it is no loop of D");
}

TEST_F(Refusals, FuseOfLoopsThatAreNotAdjacent) {
  const auto [jo, ji] = s[c].split(j, factor(8));
  EXPECT_EQ(message<Error>([&, inner = ji] { s[c].fuse(i, inner); }),
            "fuse of i: j.inner is not the loop directly inside it: reorder them first");
  EXPECT_EQ(message<Error>([&, outer = jo] { s[c].fuse(outer, i); }),
            "fuse of j.outer: i is not the loop directly inside it: reorder them first");
}

TEST_F(Refusals, BlocksThatMoveInsideTheirTile) {
  const auto [ko, ki] = s[c].split(k, factor(8));
  s[c].reorder({ko, i, j});
  const Tensor tile = s.cache_write(c, ir::Scope::kGlobal, ko);
  s[tile].compute_at(s[c], i);
  EXPECT_EQ(message<Error>([&, outer = ko] { s[c].reorder({i, outer}); }),
            "reorder of k.outer: it counts the blocks of C.tile, which would be computed outside it");
}

TEST_F(ThreeStages, InliningWhatMustBeStored) {
  EXPECT_EQ(message<Error>([&] { s[d].compute_inline(); }), "compute_inline of D: it is an output, which is stored");
  const IterVar k = reduce_axis(32, "k");
  const Tensor total = compute({32}, [&](Expr x) { return sum(a(x, k), k); }, "T");
  const Tensor e = compute({32}, [&](Expr x) { return total(x) + 1.0; }, "E");
  Schedule reducing = create_schedule(e);
  EXPECT_EQ(message<Error>([&] { reducing[total].compute_inline(); }),
            "compute_inline of T: it is a reduction, which would be done anew for every element: use compute_at");
}

TEST(RefusedSchedules, InliningThatMultipliesABody) {
  std::vector<Tensor> chain{placeholder({8}, kFloat32, "A")};
  for (int n = 0; n < 20; ++n) {
    const Tensor last = chain.back();
    chain.push_back(compute({8}, [&](Expr i) { return last(i) * last(7 - i); }, "T" + std::to_string(n)));
  }
  Schedule s = create_schedule(chain.back());
  const auto inline_all = [&] {
    for (std::size_t n = 1; n + 1 < chain.size(); ++n) s[chain[n]].compute_inline();
  };
  const std::string refused = message<Error>(inline_all);
  EXPECT_EQ(refused,
            "compute_inline of T11: the body of T12 would be too large, for written out it has more than 65536 "
            "operations");
  const std::string before = s.str();
  message<Error>([&] { s[chain[12]].compute_inline(); });
  EXPECT_EQ(s.str(), before);
}

TEST(RefusedSchedules, ReadsOutOfBounds) {
  const Tensor a = placeholder({5, 7}, kFloat32, "A");
  const Tensor c = compute({5, 7}, [&](Expr i, Expr j) { return a(j, i); }, "C");
  EXPECT_EQ(message<Error>([&] { create_schedule(c); }),
            "tensor 'C' reads 'A' out of bounds: index 0 is j, which runs over 0..6, but dimension 0 has extent 5: "
            "correct the index, or select what lies inside");
  const Tensor d = compute({5, 7}, [&](Expr i, Expr j) { return c(i, j); }, "D");
  EXPECT_EQ(message<Error>([&] { create_schedule(d); }), message<Error>([&] { create_schedule(c); }))
      << "of a stage on the way, too";
}

TEST(RefusedSchedules, ExtentsOfAReductionThatDisagree) {
  const Tensor a = placeholder({4, 8}, kFloat32, "A");
  const Tensor b = placeholder({9, 4}, kFloat32, "B");
  const IterVar k = reduce_axis(8, "k");
  const Tensor c = compute({4, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  EXPECT_EQ(
      message<Error>([&] { create_schedule(c); }),
      "tensor 'C' reduces over 'k', which is all of dimension 1 of 'A', 8, but only a part of dimension 0 of 'B', "
      "9: give both one extent, or write reduce_axis(0, 8, \"k\") if the part is meant");
}

}  // namespace
}  // namespace nestwright
