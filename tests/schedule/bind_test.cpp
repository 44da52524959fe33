// bind: loops become the blocks and threads of a launch.
#include "matmul_fixture.h"

namespace nestwright {
namespace {

class Bind : public MatmulSchedule {};

TEST_F(Bind, MarksTheLoop) {
  const auto [bx, tx] = s[c].split(j, factor(16));
  s[c].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX).bind(i, kVThread);
  EXPECT_EQ(stage(c).kinds.at(bx), ir::LoopKind::kBlockX);
  EXPECT_EQ(stage(c).kinds.at(tx), ir::LoopKind::kThreadX);
  EXPECT_EQ(stage(c).kinds.at(i), ir::LoopKind::kVirtualThread);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"bind", {"C.0", "vthread"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("  threadIdx.x j.inner in 0..16\n"));
}

TEST_F(Bind, ReplaysEveryIndex) {
  const std::vector<ir::LoopKind> all = {kBlockIdxX,  kBlockIdxY,  kBlockIdxZ, kThreadIdxX,
                                         kThreadIdxY, kThreadIdxZ, kVThread,   kVThread};
  IterVar rest = j;
  for (const ir::LoopKind axis : all) {
    const auto [outer, inner] = s[c].split(rest, factor(2));
    s[c].bind(inner, axis);
    rest = outer;
  }
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Bind, RefusesWhatIsNoIndexAndMostLoopsOfReductions) {
  expect_refused([&] { s[c].bind(i, ir::LoopKind::kParallel); }, "bind", "i",
                 "'parallel' is no index of a thread: bind to blockIdx, threadIdx or vthread");
  for (const ir::LoopKind axis : {kBlockIdxX, kVThread}) {
    expect_refused([&] { s[c].bind(k, axis); }, "bind", "k",
                   "it is a reduce axis, whose iterations depend on each other: use rfactor to make partial results");
  }
  const auto [ko, ki] = s[c].split(k, factor(4));
  s[c].bind(ki, kThreadIdxX);
  expect_refused([&] { s[c].bind(ko, kThreadIdxY); }, "bind", "k.outer",
                 "k.inner of the reduction is bound to threadIdx.x already: fuse them first");
}

TEST_F(Bind, RefusesASecondBindToOneIndex) {
  s[c].bind(i, kBlockIdxX);
  expect_refused([&] { s[c].bind(i, kBlockIdxX); }, "bind", "i", "it is bound to blockIdx.x already");
  expect_refused([&] { s[c].bind(i, kThreadIdxX); }, "bind", "i", "it is bound to blockIdx.x already");
  expect_refused([&] { s[c].bind(j, kBlockIdxX); }, "bind", "j",
                 "i is bound to blockIdx.x already: fuse them, or bind one of them to another index");
  expect_refused([&] { s[c].parallel(i); }, "parallel", "i", "it is bound to blockIdx.x already");
  expect_refused([&] { s[c].split(i, factor(4)); }, "split", "i",
                 "it is bound to blockIdx.x already: do that to the resulting loop instead");
}

TEST_F(Bind, RefusesBlocksInsideBoundLoops) {
  const Tensor cache = s.cache_read(b, ir::Scope::kShared, {c});
  s[c].bind(i, kBlockIdxX);
  s[cache].compute_at(s[c], i);
  const std::string reason =
      "B.cache is computed inside loop i of C, which is bound to blockIdx.x: blocks are launched outside of all bound "
      "loops";
  expect_refused([&] { s[cache].bind(s[cache].axis(0), kBlockIdxY); }, "bind", "ax0", reason);
  s[cache].compute_root().bind(s[cache].axis(0), kBlockIdxX);
  expect_refused([&] { s[cache].compute_at(s[c], i); }, "compute_at", "ax0", reason);
}

}  // namespace
}  // namespace nestwright
