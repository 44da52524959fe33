// place_barriers on handwritten loops.
#include <gmock/gmock.h>

#include "lower/passes.h"
#include "nestwright/program.h"

namespace nestwright::testing {
namespace {

using namespace ir;

class Barriers : public ::testing::Test {
 protected:
  static std::string placed(const Stmt& body) { return to_string(passes::place_barriers(body)); }
  Stmt threads(const Stmt& body) const { return make_for(x_, 0, 8, LoopKind::kThreadX, body); }
  Stmt turns(const Stmt& body) const { return make_for(v_, 0, 6, LoopKind::kSerial, body); }
  Expr read(const Expr& half) const { return make_load(s_, {half, 7 - Expr(x_)}); }
  Stmt fill(const Expr& half) const { return make_store(s_, {half, x_}, 1.0); }
  Stmt use(const Expr& half) const { return make_store(c_, {x_}, read(half)); }

  Var x_{"x"}, v_{"v"};
  Buffer s_{"s", kFloat32, {2, 8}, Scope::kShared}, c_{"C", kFloat32, {8}};
};

TEST_F(Barriers, TheHalvesOfADoubleBufferAreDistinguished) {
  const Expr v(v_);
  EXPECT_EQ(placed(threads(block({fill(0), turns(block({fill((v + 1) % 2), use(v % 2)}))}))),
            "threadIdx.x x in 0..8:\n"
            "  s[0, x] = 1.0\n"
            "  barrier\n"
            "  for v in 0..6:\n"
            "    s[(v + 1)%2, x] = 1.0\n"
            "    C[x] = s[v%2, 7 - x]\n"
            "    barrier\n");
}

TEST_F(Barriers, AnOtherIterationHasAnotherHalf) {
  // An element is read by the next iteration, and filled again by the one after that.
  const Expr v(v_);
  EXPECT_EQ(placed(threads(turns(block({fill(v % 2), use(v % 2)})))),
            "threadIdx.x x in 0..8:\n"
            "  for v in 0..6:\n"
            "    s[v%2, x] = 1.0\n"
            "    barrier\n"
            "    C[x] = s[v%2, 7 - x]\n"
            "    barrier\n");
}

TEST_F(Barriers, DivergentIndicesAreNotDistinguished) {
  const Expr x(x_);
  EXPECT_EQ(
      placed(threads(block({make_store(s_, {x % 2, 0}, 1.0), make_store(c_, {x_}, make_load(s_, {(x + 1) % 2, 0}))}))),
      "threadIdx.x x in 0..8:\n"
      "  s[x%2, 0] = 1.0\n"
      "  barrier\n"
      "  C[x] = s[(x + 1)%2, 0]\n");
}

TEST_F(Barriers, AConditionThatReadsWhatOthersStoredWaits) {
  const Stmt chosen = make_if(read(0) > Expr(0.0), make_store(c_, {x_}, 1.0), make_store(c_, {x_}, 0.0));
  EXPECT_EQ(placed(threads(block({fill(0), chosen}))),
            "threadIdx.x x in 0..8:\n"
            "  s[0, x] = 1.0\n"
            "  barrier\n"
            "  if s[0, 7 - x] > 0.0:\n"
            "    C[x] = 1.0\n"
            "  else:\n"
            "    C[x] = 0.0\n");
}

TEST_F(Barriers, ABarrierInABranchThatMayBeSkippedIsNotEnough) {
  // Whether n is 1 or not, the last statement has to wait for the first.
  const Var n("n");
  const Buffer t("t", kFloat32, {8}, Scope::kShared);
  const Stmt inside = block({make_store(t, {x_}, 1.0), make_store(c_, {x_}, make_load(t, {7 - Expr(x_)}))});
  EXPECT_EQ(placed(threads(block({fill(0), make_if(Expr(n) < 2, inside), use(0)}))),
            "threadIdx.x x in 0..8:\n"
            "  s[0, x] = 1.0\n"
            "  if n < 2:\n"
            "    t[x] = 1.0\n"
            "    barrier\n"
            "    C[x] = t[7 - x]\n"
            "  barrier\n"
            "  C[x] = s[0, 7 - x]\n");
  EXPECT_EQ(placed(threads(block({fill(0), make_for(v_, 0, n, LoopKind::kSerial, inside), use(0)}))),
            "threadIdx.x x in 0..8:\n"
            "  s[0, x] = 1.0\n"
            "  for v in 0..n:\n"
            "    t[x] = 1.0\n"
            "    barrier\n"
            "    C[x] = t[7 - x]\n"
            "    barrier\n"
            "  barrier\n"
            "  C[x] = s[0, 7 - x]\n");
}

}  // namespace
}  // namespace nestwright::testing
