#include "matmul_fixture.h"

namespace nestwright {
namespace {

class Prefetch : public MatmulSchedule {};

TEST_F(Prefetch, IsNoted) {
  s[c].prefetch(a, k, 8);
  ASSERT_EQ(stage(c).prefetches.size(), 1u);
  EXPECT_EQ(stage(c).prefetches[0].tensor, a);
  EXPECT_EQ(stage(c).prefetches[0].loop, k);
  EXPECT_EQ(stage(c).prefetches[0].distance, 8);
  EXPECT_EQ(s.trace().str(), "prefetch A C.2 8\n");
}

TEST_F(Prefetch, OfACache) {
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  s[c].prefetch(cache, j, 1);
  EXPECT_EQ(stage(c).prefetches[0].tensor, cache);
  expect_refused([&] { s[cache].compute_inline(); }, "compute_inline", "B.cache", "C prefetches it");
}

TEST_F(Prefetch, OfTheStagesOwnResult) {
  s[c].prefetch(c, i, 1);
  EXPECT_EQ(s.trace().str(), "prefetch C C.0 1\n");
}

TEST_F(Prefetch, RefusesWhatIsNotReadHere) {
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  expect_refused([&] { s[c].prefetch(b, j, 1); }, "prefetch", "j", "C does not read B");
  expect_refused([&] { s[c].prefetch(Tensor(), j, 1); }, "prefetch", "j", "C does not read this tensor");
  expect_refused([&] { s[c].prefetch(a, j, 0); }, "prefetch", "j", "distance 0 is below 1");
  expect_refused([&] { s[c].prefetch(a, s[cache].axis(0), 1); }, "prefetch", "ax0", "it is no loop of C");
  s[c].prefetch(a, j, 1);
  expect_refused([&] { s[c].prefetch(a, j, 2); }, "prefetch", "j", "A is prefetched there already");
}

}  // namespace
}  // namespace nestwright
