// shuffle_xor: its value, and where the verifier reports it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/serialize/serialize.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"
#include "nestwright/program.h"
#include "tests/ir/programs.h"
#include "tests/support/message.h"

namespace nestwright::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// C[y, x] = the A[y', x'] of the partner of thread (x, y).
class Shuffle : public ::testing::Test {
 protected:
  Buffer a_{"A", kFloat32, {4, 64}}, c_{"C", kFloat32, {4, 64}}, own_{"own", kFloat32, {1}, Scope::kLocal},
      told_{"told", kFloat32, {1}, Scope::kLocal};
  Var x_{"x"}, y_{"y"}, k_{"k"};

  Stmt asks(int bit) const { return make_store(told_, {0}, shuffle_xor(at(own_, {0}), bit)); }
  /// `exchange` between the statement that fills `own` and the one that stores `told`.
  Program program(const Stmt& exchange, int columns = 64, int rows = 4) const {
    const Stmt body = block({make_store(own_, {0}, at(a_, {y_, x_})), make_store(told_, {0}, 0.0), exchange,
                             make_store(c_, {y_, x_}, at(told_, {0}))});
    const Stmt threads = loop(x_, columns, make_allocate(own_, make_allocate(told_, body)), LoopKind::kThreadX);
    return program_of({{a_}, {c_, Role::kOutput}}, loop(y_, rows, threads, LoopKind::kThreadY));
  }
  std::vector<std::string> check(const Stmt& exchange, int columns = 64, int rows = 4) const {
    return verify(program(exchange, columns, rows), Form::kDeviceVector);
  }
};

TEST_F(Shuffle, GivesTheValueOfTheThreadAcross) {
  for (const int bit : {1, 2, 4, 8, 16}) {
    const Program p = deserialize(serialize(program(asks(bit))));
    EXPECT_THAT(verify(p, Form::kDeviceVector), IsEmpty());
    for (const std::uint64_t seed : {1, 2, 3}) {
      std::vector<float> a(256), c(256);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
      const std::vector<Memory> arguments{memory(a), memory(c)};
      InterpretOptions options;
      options.seed = seed;
      interpret(p, arguments, {}, options);
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], static_cast<float>(i ^ bit)) << bit << " at " << i;
    }
  }
}

TEST_F(Shuffle, Prints) { EXPECT_EQ(to_string(shuffle_xor(at(own_, {0}), 8)), "shuffle_xor(own[0], 8)"); }

TEST_F(Shuffle, AllThreadsOfAWarpReachIt) {
  EXPECT_THAT(check(make_if(Expr(y_) < 2, asks(4))), IsEmpty()) << "two warps along x have one y each";
  EXPECT_THAT(check(loop(k_, Expr(y_) + 1, asks(4))), IsEmpty());
  EXPECT_THAT(check(make_if(Expr(x_) < 32, asks(4))),
              ElementsAre("a shuffle is not reached by all threads of a warp: they may diverge at a condition, in "
                          "`told[0] = shuffle_xor(own[0], 4)`"));
  EXPECT_THAT(check(make_if(at(own_, {0}) > 0.0, asks(4))), ElementsAre(HasSubstr("they may diverge at a condition")));
  EXPECT_THAT(check(make_if(at(a_, {y_, 0}) > 0.0, asks(4))), IsEmpty()) << "they load one element";
  EXPECT_THAT(check(make_if(at(a_, {y_, x_}) > 0.0, asks(4))),
              ElementsAre(HasSubstr("they may diverge at a condition")));
  EXPECT_THAT(check(loop(k_, Expr(x_) + 1, asks(4))), ElementsAre(HasSubstr("they may diverge at the loop over k")));
  const Var odd("odd");
  EXPECT_THAT(check(make_let(odd, Expr(x_) % 2, make_if(Expr(odd) < 1, asks(4)))),
              ElementsAre(HasSubstr("they may diverge at a condition")));
  EXPECT_THAT(check(make_if(Expr(y_) < 2, asks(4)), 16), ElementsAre(HasSubstr("they may diverge at a condition")))
      << "a warp has two rows of 16";
  EXPECT_THAT(check(asks(4), 16), IsEmpty());
}

TEST_F(Shuffle, NeedsWholeWarpsAndABitOfTheThreadsAlongX) {
  EXPECT_THAT(check(asks(4), 8, 3),
              ElementsAre(HasSubstr("a shuffle runs in a block of 24 threads, which are no whole warps")));
  EXPECT_THAT(check(asks(8), 8), ElementsAre(HasSubstr("a shuffle asks for bit 8 of 8 threads along x, no multiple of "
                                                       "twice that")));
  for (const int bit : {0, 3, 32, -1}) {
    EXPECT_THAT(check(asks(bit)), ElementsAre(HasSubstr("a shuffle asks for no bit of a thread's place in its warp")));
  }
}

TEST_F(Shuffle, IsTheWholeValueOfAStoreToWhatIsPrivate) {
  const Expr shuffled = shuffle_xor(at(own_, {0}), 4);
  for (const Stmt& s : {make_store(told_, {0}, shuffled + 1.0), make_store(told_, {0}, shuffle_xor(shuffled, 2)),
                        make_if(shuffled > 0.0, make_store(told_, {0}, 1.0))}) {
    EXPECT_THAT(check(s), ::testing::Contains(HasSubstr("a shuffle is not the whole value of a store")));
  }
  EXPECT_THAT(check(make_store(c_, {y_, x_}, shuffled)),
              ::testing::Contains(HasSubstr("a shuffle is stored to C, which is not private to a thread")));
}

TEST_F(Shuffle, BelongsToTheVectorFormOfADevice) {
  for (const Form form : {Form::kLoop, Form::kVector}) {
    EXPECT_THAT(verify(program(asks(4)), form),
                ::testing::Contains(HasSubstr("a shuffle stands outside of the vector form of a device")));
  }
}

TEST_F(Shuffle, TheInterpreterReportsADivergentThread) {
  std::vector<float> a(256, 1), c(256);
  const std::vector<Memory> arguments{memory(a), memory(c)};
  const auto failure = [&](const Stmt& exchange) -> std::string {
    return message<Error>([&] { interpret(program(exchange), arguments, {}, {}); });
  };
  EXPECT_THAT(failure(make_if(Expr(x_) < 4, asks(4))),
              HasSubstr("test: a shuffle is reached by one thread and not by the one that it asks; in "
                        "`told[0] = shuffle_xor(own[0], 4)`"));
  EXPECT_THAT(failure(make_store(told_, {0}, shuffle_xor(at(own_, {0}), 4) + 1.0)),
              HasSubstr("shuffle_xor is not defined on float32"));
  EXPECT_EQ(failure(asks(4)), "accepted");
}

TEST_F(Shuffle, RefusesOtherTypes) {
  EXPECT_THROW(make_call(Intrinsic::kShuffleXor, {at(own_, {0}), Expr(4)}, kFloat32), InternalError);
  EXPECT_THROW(make_call(Intrinsic::kShuffleXor, {at(own_, {0}), make_int(4, kInt32)}, kFloat64), InternalError);
}

}  // namespace
}  // namespace nestwright::ir
