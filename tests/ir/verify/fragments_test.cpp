#include "ir/verify/fragments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "tests/ir/programs.h"

namespace nestwright::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A fragment of 8 x 8 that a warp fills, and of which each thread stores the two elements that it holds.
class FragmentPrograms : public ::testing::Test {
 protected:
  Buffer c_{"C", kFloat32, {8, 8}};
  Buffer tile_{"T", kFloat32, {8, 8}, Scope::kFragment};
  Var x_{"x"}, y_{"y"}, i_{"i"}, j_{"j"}, e_{"e"};

  Program program(Stmt fill, Expr threads_y = 8) const {
    const Stmt copy = loop(e_, 2, make_store(c_, {y_, Expr(x_) * 2 + e_}, make_load(tile_, {y_, Expr(x_) * 2 + e_})));
    const Stmt body = make_allocate(tile_, block({std::move(fill), copy}));
    return program_of({{c_, Role::kOutput}},
                      loop(y_, std::move(threads_y), loop(x_, 4, body, LoopKind::kThreadX), LoopKind::kThreadY));
  }
  Stmt fill(const Expr& value) const { return loop(i_, 8, loop(j_, 8, make_store(tile_, {i_, j_}, value))); }
};

TEST_F(FragmentPrograms, ThreadsOfAWarpHoldOneMatrix) {
  const Program p = program(fill(cast(kFloat32, Expr(i_) * 8 + j_)));
  EXPECT_THAT(verify(p, Form::kLoop), IsEmpty());
  std::vector<float> c(64, -1.0F);
  const Memory memory[] = {std::as_writable_bytes(std::span(c))};
  for (const std::uint64_t seed : {1, 2, 3}) {
    interpret(p, memory, {}, {.seed = seed});
    for (std::size_t n = 0; n < c.size(); ++n) ASSERT_EQ(c[n], static_cast<float>(n));
  }
}

TEST_F(FragmentPrograms, StoresThatDifferBetweenThreadsAreViolations) {
  const std::string rest =
      ", which differs between the threads of a warp: compute it for all of them, outside of what depends on "
      "threadIdx.x and threadIdx.y";
  EXPECT_THAT(verify(program(fill(cast(kFloat32, Expr(x_)))), Form::kLoop),
              ElementsAre("fragment buffer T is stored to in `T[i, j] = float32(x)`" + rest));
  EXPECT_THAT(check_fragments(program(make_if(Expr(y_) < 4, fill(0.0)))),
              ElementsAre("fragment buffer T is stored to in `T[i, j] = 0.0`" + rest));
  const Stmt row = loop(j_, 8, make_store(tile_, {y_, j_}, 0.0));
  EXPECT_THAT(check_fragments(program(row)), ElementsAre("fragment buffer T is stored to in `T[y, j] = 0.0`" + rest));
  const Var own("own");
  EXPECT_THAT(check_fragments(program(make_let(own, Expr(x_) * 2, loop(i_, Expr(own) + 1, fill(0.0))))),
              ::testing::SizeIs(1));
}

TEST_F(FragmentPrograms, AWarpIsFourByEightThreads) {
  EXPECT_THAT(check_fragments(program(fill(0.0), 16)),
              ElementsAre("fragment buffer T is allocated where there is no warp: bind a loop of 8 to threadIdx.y and "
                          "one of 4 to threadIdx.x around it"));
}

TEST_F(FragmentPrograms, ElementsThatWereNeverStoredAreFound) {
  const Program p = program(loop(i_, 4, loop(j_, 8, make_store(tile_, {i_, j_}, 0.0))));
  std::vector<float> c(64);
  const Memory memory[] = {std::as_writable_bytes(std::span(c))};
  try {
    interpret(p, memory);
    FAIL() << "nothing was found";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("T["));
  }
}

}  // namespace
}  // namespace nestwright::ir
