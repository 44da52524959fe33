#include "nestwright/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "tests/ir/programs.h"
#include "tests/support/message.h"

namespace nestwright::ir {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Runs a program whose only parameter is an output of `n` elements, and returns them.
template <class T>
std::vector<T> output_of(const Buffer& c, const Stmt& body, std::size_t n, std::uint64_t seed = 1) {
  std::vector<T> out(n);
  const Memory arguments[] = {memory(out)};
  interpret(program_of({{c, Role::kOutput}}, body), arguments, {}, {.seed = seed});
  return out;
}

TEST(Interpret, TiledMatmulIsExact) {
  constexpr int kM = TiledMatmul::kM, kN = TiledMatmul::kN, kK = TiledMatmul::kK;
  std::vector<float> a(kM * kK), b(kK * kN), expected(kM * kN);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.1f * static_cast<float>(i % 17) - 0.7f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.3f * static_cast<float>(i % 11) - 1.1f;
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      volatile float sum = 0;  // each operation rounds to float32, none is fused
      for (int k = 0; k < kK; ++k) {
        volatile float product = a[static_cast<std::size_t>(i * kK + k)] * b[static_cast<std::size_t>(k * kN + j)];
        sum = sum + product;
      }
      expected[static_cast<std::size_t>(i * kN + j)] = sum;
    }
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<float> c(kM * kN, -1.0f);
    const Memory arguments[] = {memory(a), memory(b), memory(c)};
    interpret(TiledMatmul().program(), arguments, {}, {.seed = seed});
    EXPECT_EQ(c, expected);
  }
}

TEST(Interpret, VectorsMasksAndGathers) {
  const Buffer a("A", kInt32, {8}), p("P", kInt64, {4}), c("C", kInt32, {8});
  const Expr lanes = make_ramp(0, 1, 4);
  const Expr gathered = make_load(a, {make_load(p, {lanes})});
  const Expr masked = make_load(a, {make_ramp(6, 1, 4)}, lanes < make_broadcast(2, 4));
  const Stmt body = block({make_store(c, {lanes}, gathered),
                           make_store(c, {make_ramp(7, -1, 4)}, masked * make_broadcast(make_int(10, kInt32), 4))});
  std::vector<std::int32_t> in{10, 11, 12, 13, 14, 15, 16, 17}, out(8);
  std::vector<std::int64_t> places{7, 0, 3, 3};
  const Memory arguments[] = {memory(in), memory(places), memory(out)};
  interpret(program_of({{a}, {p}, {c, Role::kOutput}}, body), arguments);
  EXPECT_THAT(out, ElementsAre(17, 10, 13, 13, 0, 0, 170, 160));
}

TEST(Interpret, MaskedLanesStoreNothing) {
  const Buffer c("C", kInt32, {4});
  const Expr lanes = make_ramp(0, 1, 4), odd = lanes % make_broadcast(2, 4) == make_broadcast(1, 4);
  const Expr value = cast(kInt32.with_lanes(4), lanes);
  const Stmt body =
      block({make_store(c, {lanes}, make_int(9, kInt32.with_lanes(4))), make_store(c, {lanes}, value, odd)});
  EXPECT_THAT(output_of<std::int32_t>(c, body, 4), ElementsAre(9, 1, 9, 3));
  const Stmt branches = make_if(odd, make_store(c, {lanes}, value), make_store(c, {lanes}, value * value));
  EXPECT_THAT(output_of<std::int32_t>(c, branches, 4), ElementsAre(0, 1, 4, 3));
}

TEST(Interpret, LetsConditionsStridesAndSymbols) {
  const Var n("n"), pitch("pitch"), i("i"), j("j"), twice("twice");
  const Buffer c("C", kInt64, {n, n}, Scope::kGlobal, {pitch, 1});
  const Stmt body =
      loop(i, n,
           loop(j, n,
                make_let(twice, Expr(i) * 2,
                         make_if(Expr(i) == j, make_store(c, {i, j}, twice), make_store(c, {i, j}, -1)))));
  std::vector<std::int64_t> out(5, 7);
  const Memory arguments[] = {memory(out)};
  const std::int64_t symbols[] = {2, 3};
  interpret(program_of({{c, Role::kOutput}}, body, {n, pitch}), arguments, symbols);
  EXPECT_THAT(out, ElementsAre(0, -1, 7, -1, 2));
}

TEST(Interpret, VectorisedLoopsRunInLockstep) {
  // All lanes read C before one writes it, and the inner serial loop runs in step.
  const Var j("j"), k("k");
  const Buffer c("C", kInt32, {4});
  const Expr index = cast(kInt32, j);
  const Stmt body = loop(j, 4, block({make_store(c, {j}, index), loop(k, 3, make_store(c, {j}, at(c, {j}) + index))}),
                         LoopKind::kVectorized);
  EXPECT_THAT(output_of<std::int32_t>(c, body, 4), ElementsAre(0, 4, 8, 12));
}

TEST(Interpret, ParallelIterationsRunInRandomOrder) {
  // Each iteration reads the number of iterations before it: a race, which must be reported whatever the order.
  const Var i("i");
  const Buffer c("C", kInt32, {1});
  const Stmt body = block(
      {make_store(c, {0}, make_int(0, kInt32)), loop(i, 4, make_store(c, {0}, at(c, {0}) + 1), LoopKind::kParallel)});
  std::set<std::string> messages;
  for (std::uint64_t seed = 0; seed < 16; ++seed)
    messages.insert(message<Error>([&] { output_of<std::int32_t>(c, body, 1, seed); }));
  EXPECT_GT(messages.size(), 2u);
  for (const std::string& text : messages)
    EXPECT_THAT(text, AllOf(HasSubstr("race in the parallel loop over i: its iterations"),
                            HasSubstr("touch one element of C"), HasSubstr("`C[0] = C[0] + 1`")));
}

TEST(Interpret, DetectsRacesBetweenReadersAndWriters) {
  const Var i("i"), j("j");
  const Buffer a("A", kInt32, {8}), c("C", kInt32, {8});
  const auto run = [&](const Stmt& body) { return message<Error>([&] { output_of<std::int32_t>(c, body, 8); }); };
  const Stmt fill = loop(j, 8, make_store(c, {j}, make_int(1, kInt32)));
  for (const LoopKind kind : {LoopKind::kParallel, LoopKind::kVectorized, LoopKind::kThreadX, LoopKind::kBlockX}) {
    const Stmt shift = loop(i, 4, make_store(c, {Expr(i) + 1}, at(c, {i})), kind);
    EXPECT_THAT(run(block({fill, shift})), HasSubstr("race in the")) << loop_kind_name(kind);
    const Stmt apart = loop(i, 4, make_store(c, {Expr(i) + 4}, at(c, {i})), kind);
    EXPECT_EQ(run(block({fill, apart})), "accepted") << loop_kind_name(kind);
  }
  // Iterations of one serial loop, and executions of two parallel loops one after the other, are ordered.
  const Var r("r"), s("s");
  const auto touch = [&](const Var& var) {
    return loop(var, 4, make_store(c, {var}, at(c, {3 - Expr(var)}) + at(c, {var})), LoopKind::kParallel);
  };
  EXPECT_THAT(run(block({fill, touch(r)})), HasSubstr("race"));
  const Stmt one = loop(r, 4, make_store(c, {r}, at(c, {r}) + 1), LoopKind::kParallel);
  const Stmt other = loop(s, 4, make_store(c, {3 - Expr(s)}, at(c, {3 - Expr(s)}) + 1), LoopKind::kParallel);
  EXPECT_EQ(run(block({fill, loop(i, 3, block({one, other}))})), "accepted");
}

TEST(Interpret, DetectsRacesOfNestedParallelLoops) {
  const Var i("i"), j("j");
  const Buffer c("C", kInt32, {4, 4});
  const auto nest = [&](std::vector<Expr> indices) {
    const Stmt store = make_store(c, std::move(indices), make_int(1, kInt32));
    return message<Error>([&] {
      output_of<std::int32_t>(c, loop(i, 4, loop(j, 4, store, LoopKind::kParallel), LoopKind::kParallel), 16);
    });
  };
  EXPECT_EQ(nest({i, j}), "accepted");
  EXPECT_THAT(nest({i, 0}), HasSubstr("race in the parallel loop over j"));
  EXPECT_THAT(nest({0, j}), HasSubstr("race in the parallel loop over i"));
}

TEST(Interpret, AllocationsBelongToTheirIteration) {
  const Var i("i");
  const Buffer c("C", kInt32, {4}), t("t", kInt32, {1}, Scope::kLocal);
  const Stmt body = block({make_store(t, {0}, cast(kInt32, i)), make_store(c, {i}, at(t, {0}))});
  EXPECT_THAT(output_of<std::int32_t>(c, loop(i, 4, make_allocate(t, body), LoopKind::kParallel), 4),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      message<Error>([&] { output_of<std::int32_t>(c, make_allocate(t, loop(i, 4, body, LoopKind::kParallel)), 4); }),
      HasSubstr("touch one element of t"));
}

TEST(Interpret, BarriersOrderTheThreadsOfABlock) {
  const Var x("x"), y("y");
  const Buffer c("C", kInt32, {8}), s("s", kInt32, {2, 4}, Scope::kShared);
  const auto kernel = [&](const Stmt& between) {
    const Stmt body = block({make_store(s, {y, x}, cast(kInt32, Expr(y) * 4 + x)), between,
                             make_store(c, {Expr(y) * 4 + x}, at(s, {1 - Expr(y), 3 - Expr(x)}))});
    return make_allocate(s, loop(y, 2, loop(x, 4, body, LoopKind::kThreadX), LoopKind::kThreadY));
  };
  EXPECT_THAT(output_of<std::int32_t>(c, kernel(make_barrier()), 8), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
  EXPECT_THAT(message<Error>([&] { output_of<std::int32_t>(c, kernel({}), 8); }), HasSubstr("race in the threadIdx"));
  EXPECT_THAT(message<Error>([&] { output_of<std::int32_t>(c, kernel(make_if(Expr(x) < 2, make_barrier())), 8); }),
              HasSubstr("a barrier is reached by 4 of 8 threads"));
}

TEST(Interpret, NamesAnAccessOutOfBounds) {
  const Var i("i");
  const Buffer a("A", kFloat32, {4}), c("C", kFloat32, {8});
  std::vector<float> in(4), out(8);
  const Memory arguments[] = {memory(in), memory(out)};
  const auto run = [&](const Stmt& body) {
    return message<Error>([&] { interpret(program_of({{a}, {c, Role::kOutput}}, body), arguments); });
  };
  EXPECT_EQ(run(loop(i, 8, make_store(c, {i}, at(a, {i})))),
            "test: index 4 of dimension 0 is out of bounds: A[4] has extent 4 there; in `C[i] = A[i]` with i = 4");
  EXPECT_THAT(run(loop(i, 8, make_store(c, {Expr(i) - 1}, 0.0))), HasSubstr("index -1 of dimension 0"));
  EXPECT_THAT(run(make_store(c, {0}, select(Expr(i) < 0, at(a, {4}), 0.0))),
              HasSubstr("used outside of its definition"));
  // Both operands of a select may be evaluated.
  EXPECT_THAT(run(loop(i, 8, make_store(c, {i}, select(Expr(i) < 4, at(a, {i}), 0.0)))), HasSubstr("out of bounds"));
  EXPECT_EQ(run(loop(i, 8, make_if(Expr(i) < 4, make_store(c, {i}, at(a, {i}))))), "accepted");
  EXPECT_EQ(run(make_prefetch(a, {1000}, false, 3)), "accepted");
}

TEST(Interpret, ChecksTheMemoryItIsGiven) {
  const Buffer c("C", kFloat32, {8});
  EXPECT_THAT(message<Error>([&] { output_of<float>(c, make_store(c, {7}, 0.0), 4); }),
              HasSubstr("C[7] lies beyond the 16 bytes of C"));
  EXPECT_EQ(message<Error>([&] { interpret(program_of({{c}}, {}), {}); }), "test takes 1 tensors, 0 were given");
}

TEST(Interpret, RefusesReadsOfWhatWasNeverWritten) {
  const Var i("i");
  const Buffer c("C", kFloat32, {4}), t("t", kFloat32, {4}, Scope::kLocal);
  EXPECT_THAT(message<Error>([&] { output_of<float>(c, loop(i, 4, make_store(c, {i}, at(c, {i}) + 1.0)), 4); }),
              HasSubstr("C[0] is read but was never written; in `C[i] = C[i] + 1.0` with i = 0"));
  const Stmt copy = loop(i, 4, make_store(c, {i}, at(t, {i})));
  EXPECT_THAT(message<Error>([&] { output_of<float>(c, make_allocate(t, block({make_store(t, {0}, 0.0), copy})), 4); }),
              HasSubstr("t[1] is read but was never written"));
  // An operand that is not chosen is evaluated, but its value is not used.
  const Stmt accumulate = make_store(c, {0}, select(Expr(i) == 0, 1.0, at(c, {0})));
  EXPECT_EQ(output_of<float>(c, loop(i, 3, accumulate), 4)[0], 1.0f);
}

TEST(Interpret, NamesDivisionsByZero) {
  const Buffer c("C", kInt64, {1});
  const Var i("i");
  EXPECT_THAT(message<Error>([&] { output_of<std::int64_t>(c, loop(i, 1, make_store(c, {0}, 5 / Expr(i))), 1); }),
              HasSubstr("division by 0; in `C[0] = 5/i`"));
}

TEST(Interpret, LanesOfOneVectorMustNotMeet) {
  const Buffer c("C", kInt32, {4});
  const Stmt scatter = make_store(c, {make_ramp(0, 1, 4) / make_broadcast(2, 4)}, make_int(1, kInt32.with_lanes(4)));
  EXPECT_THAT(message<Error>([&] { output_of<std::int32_t>(c, scatter, 4); }),
              HasSubstr("two lanes of one vector write C[0]"));
}

}  // namespace
}  // namespace nestwright::ir
