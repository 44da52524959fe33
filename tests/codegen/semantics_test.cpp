// The IR's semantics, node by node: compiled code agrees with the interpreter on every instruction set that runs here.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>

#include "nestwright/expr.h"
#include "run_program.h"

namespace nestwright {
namespace {

using namespace ir;

constexpr std::int64_t kN = 37;

Program program_of(std::vector<Parameter> parameters, Stmt body, std::vector<Var> symbols = {}) {
  return {"test", std::move(parameters), std::move(symbols), {}, {}, {}, make_launch(0), {{"main", std::move(body)}}};
}

/// B[i] = f(A[i], A[i + 1]), once in a scalar loop and once vectorised.
Program elementwise(Type in, Type out, const std::function<Expr(Expr, Expr, Expr)>& f, LoopKind kind) {
  const Buffer A("A", in, {Expr(kN + 1)}), B("B", out, {Expr(kN)});
  const Var i("i");
  return program_of({{A, Role::kInput}, {B, Role::kOutput}},
                    make_for(i, 0, Expr(kN), kind, make_store(B, {i}, f(make_load(A, {i}), make_load(A, {i + 1}), i))));
}

void expect_agreement(const Program& program, std::span<const std::int64_t> symbols = {}) {
  for (CpuIsa isa : testing::runnable_isas()) {
    EXPECT_TRUE(testing::agrees_with_interpreter(program, testing::target_of(isa), Pipeline::kSearch,
                                                 make_pool(PoolKind::kSerial, 1), symbols))
        << "on " << static_cast<int>(isa);
  }
}

void expect_elementwise(Type in, Type out, const std::function<Expr(Expr, Expr, Expr)>& f) {
  for (LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) expect_agreement(elementwise(in, out, f, kind));
}

TEST(Semantics, DivisionRoundsDown) {
  for (std::int64_t divisor : {4, 3, -3, 1}) {
    expect_elementwise(kInt32, kInt32, [&](Expr a, Expr, Expr) { return a / make_int(divisor, kInt32); });
    expect_elementwise(kInt32, kInt32, [&](Expr a, Expr, Expr) { return a % make_int(divisor, kInt32); });
  }
  const Expr five = make_int(5, kInt32);
  expect_elementwise(kInt32, kInt32, [&](Expr a, Expr b, Expr) { return a / (b + five) + a % (b + five); });
}

TEST(Semantics, MinMaxSelectAndComparisons) {
  expect_elementwise(kFloat32, kFloat32, [](Expr a, Expr b, Expr) { return min(a, b) * Expr(2.0) + max(a, b); });
  expect_elementwise(kInt32, kInt32, [](Expr a, Expr b, Expr) { return select(a <= b, min(a, b), a - b); });
  expect_elementwise(kFloat64, kBool, [](Expr a, Expr b, Expr) { return (a < b && a != b) || !(a >= b); });
  expect_elementwise(kBool, kFloat32, [](Expr a, Expr b, Expr) { return select(a, Expr(1.0), cast(kFloat32, b)); });
}

TEST(Semantics, Casts) {
  const Expr half = make_float(0.75, kFloat32);
  expect_elementwise(kFloat32, kInt32, [&](Expr a, Expr, Expr) { return cast(kInt32, a * half); });
  expect_elementwise(kFloat32, kInt64,
                     [&](Expr a, Expr, Expr) { return cast(kInt64, a * make_float(1e30, kFloat32)); });
  expect_elementwise(kInt32, kFloat32, [](Expr a, Expr, Expr) { return cast(kFloat32, a); });
  expect_elementwise(kInt64, kInt32, [](Expr a, Expr, Expr) { return cast(kInt32, cast(kUInt8, a)); });
  expect_elementwise(kFloat64, kFloat32, [](Expr a, Expr, Expr) { return cast(kFloat32, a); });
  expect_elementwise(kFloat32, kFloat32, [&](Expr a, Expr, Expr) { return cast(kFloat32, cast(kFloat16, a * half)); });
}

TEST(Semantics, IndicesAsValues) {
  expect_elementwise(kFloat32, kFloat32, [](Expr a, Expr, Expr i) { return a + cast(kFloat32, i % 5 + i / 3); });
}

TEST(Semantics, IntegersOfTheTypeOfIndicesWrap) {
  const Expr almost = make_int(std::numeric_limits<std::int64_t>::max() - 1, kInt64);
  expect_elementwise(kInt64, kInt32, [&](Expr a, Expr, Expr) {
    return select(a + almost > a, make_int(1, kInt32), make_int(0, kInt32));
  });
  expect_elementwise(kInt64, kInt64, [&](Expr a, Expr b, Expr) { return (a * almost + b * almost) / Expr(2); });
}

TEST(Semantics, RoundingIntrinsics) {
  for (Intrinsic f : {Intrinsic::kFloor, Intrinsic::kCeil, Intrinsic::kRound, Intrinsic::kAbs}) {
    expect_elementwise(kFloat32, kFloat32, [&](Expr a, Expr, Expr) { return make_call(f, {a * Expr(0.5)}, kFloat32); });
    expect_elementwise(kFloat64, kFloat64,
                       [&](Expr a, Expr, Expr) { return make_call(f, {a * make_float(0.5, kFloat64)}, kFloat64); });
  }
  expect_elementwise(kInt32, kInt32, [](Expr a, Expr, Expr) { return make_call(Intrinsic::kAbs, {a}, kInt32); });
  expect_elementwise(kFloat32, kFloat32,
                     [](Expr a, Expr b, Expr) { return make_call(Intrinsic::kFma, {a, b, a}, kFloat32); });
}

// An instruction on whole vectors, parts of them and single elements, or libm.
TEST(Semantics, ScalingByPowersOfTwo) {
  for (const Type type : {kFloat32, kFloat64}) {
    expect_elementwise(type, type, [](Expr a, Expr b, Expr) { return scale(a + 0.3, b); });
    expect_elementwise(type, type, [](Expr a, Expr b, Expr) { return scale(a + 0.3, b * 37.0); });  // below normal, too
    const Buffer A("A", type, {Expr(67)}), B("B", type, {Expr(67)});
    for (const int lanes : {2, 3, 16, 24, 67}) {
      const Var i("i");
      expect_agreement(program_of({{A, Role::kInput}, {B, Role::kOutput}},
                                  make_for(i, 0, Expr(lanes), LoopKind::kVectorized,
                                           make_store(B, {i}, scale(make_load(A, {i}) + 0.3, make_load(A, {i}))))));
    }
  }
}

TEST(Semantics, FunctionsOfLibm) {
  // Both sides call libm, or round correctly. vector_math_test.cpp tests the functions that are expanded.
  const auto positive = [](const Expr& a) { return a * a + 0.25; };
  for (Intrinsic f : {Intrinsic::kExp, Intrinsic::kTanh, Intrinsic::kErf, Intrinsic::kSigmoid}) {
    expect_elementwise(kFloat64, kFloat64, [&](Expr a, Expr, Expr) { return make_call(f, {a}, kFloat64); });
  }
  for (Intrinsic f : {Intrinsic::kLog, Intrinsic::kLog2}) {
    expect_elementwise(kFloat64, kFloat64, [&](Expr a, Expr, Expr) { return make_call(f, {positive(a)}, kFloat64); });
  }
  expect_elementwise(kFloat32, kFloat32, [&](Expr a, Expr b, Expr) { return sqrt(positive(a)) + rsqrt(positive(b)); });
  expect_elementwise(kFloat32, kFloat32, [&](Expr a, Expr b, Expr) { return pow(positive(a), b); });
}

TEST(Semantics, StridedAndReversedVectors) {
  const Buffer A("A", kFloat32, {Expr(8), Expr(40)}), B("B", kFloat32, {Expr(40), Expr(8)});
  const Var i("i"), j("j");
  // A transposition: the loads or the stores are strided.
  for (bool vectorize_rows : {true, false}) {
    const LoopKind row = vectorize_rows ? LoopKind::kVectorized : LoopKind::kSerial;
    const LoopKind column = vectorize_rows ? LoopKind::kSerial : LoopKind::kVectorized;
    const Stmt body = make_store(B, {j, Expr(7) - i}, make_load(A, {i, j}));
    const Stmt inner =
        make_for(vectorize_rows ? i : j, 0, vectorize_rows ? 8 : 40, vectorize_rows ? row : column, body);
    expect_agreement(
        program_of({{A, Role::kInput}, {B, Role::kOutput}},
                   make_for(vectorize_rows ? j : i, 0, vectorize_rows ? 40 : 8, LoopKind::kSerial, inner)));
  }
}

TEST(Semantics, ColumnsOfATileInRegisters) {
  // Rows of whole vectors, of vectors and a partial one, and with one element more, whose last column is single.
  for (const Type type : {kFloat32, kFloat64, kFloat16, kInt8}) {
    for (const int rows : {2, 4, 8, 16}) {
      for (const int columns : {rows, rows + 1, 2 * rows + 1, 2 * rows + 3}) {
        const Buffer A("A", type, {Expr(rows), Expr(columns)}), B("B", type, {Expr(columns), Expr(rows)}),
            T("T", type, {Expr(rows), Expr(columns)}, Scope::kLocal);
        std::vector<Stmt> copies;
        for (int row = 0; row < rows; ++row) {
          const Var j("j");
          copies.push_back(make_for(j, 0, columns, LoopKind::kVectorized,
                                    make_store(T, {Expr(row), j}, make_load(A, {Expr(row), j}))));
        }
        for (int column = 0; column < columns; ++column) {
          const Var i("i");
          copies.push_back(make_for(i, 0, rows, LoopKind::kVectorized,
                                    make_store(B, {Expr(column), i}, make_load(T, {i, Expr(column)}))));
        }
        SCOPED_TRACE(fmt::format("{} x {} of {}", rows, columns, type.str()));
        expect_agreement(
            program_of({{A, Role::kInput}, {B, Role::kOutput}}, make_allocate(T, block(std::move(copies)))));
      }
    }
  }
}

TEST(Semantics, ColumnsOfATileThatEndsWithinARow) {
  struct Case {
    int elements, stride, lanes;
  };
  for (const auto& [elements, stride, lanes] : {Case{7, 2, 4}, Case{15, 2, 8}, Case{10, 3, 4}, Case{24, 3, 8}}) {
    const Buffer A("A", kFloat32, {Expr(elements)}), B("B", kFloat32, {Expr(lanes)}),
        T("T", kFloat32, {Expr(elements)}, Scope::kLocal);
    const Var i("i"), e("e");
    const Stmt copy = make_for(e, 0, elements, LoopKind::kSerial, make_store(T, {e}, make_load(A, {e})));
    const Stmt use = make_for(i, 0, lanes, LoopKind::kVectorized, make_store(B, {i}, make_load(T, {Expr(i) * stride})));
    SCOPED_TRACE(fmt::format("{} lanes, {} apart, of {}", lanes, stride, elements));
    expect_agreement(program_of({{A, Role::kInput}, {B, Role::kOutput}}, make_allocate(T, block({copy, use}))));
  }
}

TEST(Semantics, IndirectIndices) {
  const Buffer I("I", kInt64, {Expr(21)}), A("A", kFloat32, {Expr(9)}), B("B", kFloat32, {Expr(21)});
  const Var j("j");
  expect_agreement(program_of(
      {{I, Role::kInput}, {A, Role::kInput}, {B, Role::kOutput}},
      make_for(j, 0, 20, LoopKind::kVectorized,
               make_store(B, {j}, make_load(A, {min(max(make_load(I, {j}) + Expr(4), Expr(0)), Expr(8))})))));
}

TEST(Semantics, IndicesOfNarrowTypes) {
  const Buffer I("I", kInt32, {Expr(21)}), A("A", kFloat32, {Expr(9)}), B("B", kFloat32, {Expr(21)});
  for (LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized}) {
    const Var j("j");
    const Expr four = make_int(4, kInt32), zero = make_int(0, kInt32), eight = make_int(8, kInt32);
    const Expr at = min(max(make_load(I, {j}) + four, zero), eight);
    expect_agreement(program_of({{I, Role::kInput}, {A, Role::kInput}, {B, Role::kOutput}},
                                make_for(j, 0, 20, kind, make_store(B, {j}, make_load(A, {at})))));
  }
}

TEST(Semantics, StridesOfABuffer) {
  // Rows 48 elements apart of which 40 are used.
  const Buffer A("A", kFloat32, {Expr(480)}),
      B("B", kFloat32, {Expr(9), Expr(40)}, Scope::kGlobal, {Expr(48), Expr(1)}, 4);
  const Var i("i"), j("j");
  Program program = program_of(
      {{A, Role::kInput}},
      make_for(i, 0, 9, LoopKind::kSerial,
               make_for(j, 0, 40, LoopKind::kVectorized, make_store(B, {i, j}, make_load(A, {i * 48 + j})))));
  program.parameters.push_back({B, Role::kOutput});
  std::vector<Array> arrays = testing::make_arguments(program);
  arrays[1] = Array::empty(kFloat32, {9 * 48});
  arrays[1].fill_bytes(0);
  for (CpuIsa isa : testing::runnable_isas()) {
    const testing::LinkedProgram kernel =
        testing::link(testing::compile(program, testing::target_of(isa)), make_pool(PoolKind::kSerial, 1));
    testing::run_compiled(kernel, arrays);
    for (std::size_t at = 0; at < 9 * 48; ++at) {
      ASSERT_EQ(arrays[1].as<float>()[at], at % 48 < 40 ? arrays[0].as<float>()[at] : 0);
    }
  }
}

TEST(Semantics, SymbolicExtentsAndStrides) {
  const Var n("n"), i("i"), j("j");
  const Buffer A("A", kFloat32, {Expr(100)}), B("B", kFloat32, {Expr(100)});
  const Expr at = i * n + j;
  const Stmt body = make_if(at < Expr(100), make_store(B, {at}, make_load(A, {at}) * Expr(2.0)));
  const Program program =
      program_of({{A, Role::kInput}, {B, Role::kOutput}},
                 make_for(i, 0, 3, LoopKind::kSerial, make_for(j, 0, n, LoopKind::kSerial, body)), {n});
  for (std::int64_t value : {0, 1, 20}) {
    for (CpuIsa isa : testing::runnable_isas()) {
      const testing::LinkedProgram kernel =
          testing::link(make_backend(DeviceKind::kCpu)->compile(program, testing::target_of(isa), {}),
                        make_pool(PoolKind::kSerial, 1));
      std::vector<Array> expected = testing::make_arguments(program), actual = testing::copies(expected);
      const std::array<std::int64_t, 1> symbols{value};
      testing::run_interpreted(program, expected, symbols);
      EXPECT_EQ(testing::run_compiled(kernel, actual, symbols), 0);
      EXPECT_EQ(std::memcmp(expected[1].data(), actual[1].data(), actual[1].size_bytes()), 0) << value;
    }
  }
}

TEST(Semantics, WorkspaceInAndAroundParallelLoops) {
  // `shared` is filled in parallel and read by a second parallel loop; `own` belongs to each iteration.
  const Buffer A("A", kFloat32, {Expr(12), Expr(20)}), B("B", kFloat32, {Expr(12), Expr(20)});
  const Buffer shared("shared", kFloat32, {Expr(12), Expr(20)}), own("own", kFloat32, {Expr(20)});
  const Var p("p"), q("q"), i("i"), j("j"), k("k"), factor("factor", kFloat32);
  const Stmt fill = make_for(
      p, 0, 12, LoopKind::kParallel,
      make_for(i, 0, 20, LoopKind::kVectorized, make_store(shared, {p, i}, make_load(A, {p, i}) * Expr(factor))));
  const Stmt copy =
      make_for(j, 0, 20, LoopKind::kVectorized, make_store(own, {j}, make_load(shared, {Expr(13) - q, j})));
  const Stmt out = make_for(k, 0, 20, LoopKind::kSerial, make_store(B, {q, k}, make_load(own, {Expr(19) - k})));
  const Stmt use = make_for(q, 2, 10, LoopKind::kParallel, make_allocate(own, block({copy, out})));
  const Stmt body = make_let(factor, make_load(A, {0, 0}) + Expr(3.0), make_allocate(shared, block({fill, use})));
  for (PoolKind kind : {PoolKind::kSerial, PoolKind::kTbb, PoolKind::kSpin}) {
    for (CpuIsa isa : testing::runnable_isas()) {
      EXPECT_TRUE(testing::agrees_with_interpreter(program_of({{A, Role::kInput}, {B, Role::kOutput}}, body),
                                                   testing::target_of(isa), Pipeline::kSearch, make_pool(kind, 3)));
    }
  }
}

TEST(Semantics, SymbolicWorkspace) {
  // Buffers with rows of n numbers: one around the launches, one of constant size beside it, and one of each thread.
  const Var n("n"), m("m");
  const Buffer A("A", kFloat32, {m, n}), B("B", kFloat32, {m, n});
  const Buffer around("around", kFloat32, {m, n}), fixed("fixed", kFloat32, {Expr(5)}),
      shared("shared", kFloat32, {n, m}), own("own", kFloat32, {n});
  const Var i("i"), j("j"), p("p"), q("q"), a("a"), b("b"), c("c"), d("d");
  const Stmt first =
      make_for(i, 0, m, LoopKind::kParallel,
               make_for(j, 0, n, LoopKind::kSerial, make_store(around, {i, j}, make_load(A, {i, j}) + Expr(1.0))));
  const Stmt turn =
      make_for(p, 0, m, LoopKind::kParallel,
               make_for(q, 0, n, LoopKind::kSerial,
                        make_store(shared, {q, p}, make_load(around, {p, q}) * make_load(fixed, {Expr(3)}))));
  const Stmt copy = make_for(b, 0, n, LoopKind::kSerial, make_store(own, {b}, make_load(shared, {b, a})));
  const Stmt out = make_for(c, 0, n, LoopKind::kSerial,
                            make_store(B, {a, c}, make_load(own, {Expr(n) - 1 - c}) + make_load(fixed, {0})));
  const Stmt back = make_for(a, 0, m, LoopKind::kParallel, make_allocate(own, block({copy, out})));
  const Stmt fill = make_for(d, 0, 5, LoopKind::kSerial, make_store(fixed, {d}, cast(kFloat32, d)));
  Program program{
      "symbolic",
      {{A, Role::kInput}, {B, Role::kOutput}},
      {n, m},
      {},
      {},
      {},
      {},
      {{"first", first}, {"second", make_allocate(fixed, make_allocate(shared, block({fill, turn, back})))}}};
  program.host = make_allocate(around, block({make_launch(0), make_launch(1)}));
  // Large enough for all sizes below.
  const Program sized =
      program_of({{Buffer("A", kFloat32, {Expr(700)})}, {Buffer("B", kFloat32, {Expr(700)}), Role::kOutput}}, {});
  const Target target = testing::target_of(CpuIsa::kX86_64);
  const CompiledObject object = testing::compile(program, target);
  for (PoolKind kind : {PoolKind::kSerial, PoolKind::kSpin}) {
    const testing::LinkedProgram kernel = testing::link(object, make_pool(kind, 3));
    for (const auto& [n_value, m_value] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {37, 17}, {3, 2}, {1, 700}}) {
      std::vector<Array> expected = testing::make_arguments(sized), actual = testing::copies(expected);
      const std::array<std::int64_t, 2> symbols{n_value, m_value};
      testing::run_interpreted(program, expected, symbols);
      EXPECT_EQ(testing::run_compiled(kernel, actual, symbols), 0);
      EXPECT_EQ(std::memcmp(expected[1].data(), actual[1].data(), actual[1].size_bytes()), 0) << n_value;
    }
  }
}

TEST(Semantics, SeveralKernelsShareWhatTheHostAllocates) {
  const Buffer A("A", kFloat32, {Expr(16)}), B("B", kFloat32, {Expr(16)}), T("T", kFloat32, {Expr(16)});
  const auto copy = [](Buffer from, Buffer to, double plus) {
    const Var i("i");
    return make_for(i, 0, 16, LoopKind::kVectorized, make_store(to, {i}, make_load(from, {i}) + Expr(plus)));
  };
  const Var t("t");
  Program program{"two", {{A, Role::kInput}, {B, Role::kOutput}},
                  {},    {},
                  {},    {},
                  {},    {{"first", copy(A, T, 1)}, {"second", copy(T, B, 2)}}};
  program.host = make_allocate(T, make_for(t, 0, 2, LoopKind::kSerial, block({make_launch(0), make_launch(1)})));
  expect_agreement(program);
}

TEST(Semantics, PrefetchesDoNothingThatCanBeSeen) {
  const Buffer A("A", kFloat32, {Expr(16)}), B("B", kFloat32, {Expr(16)});
  const Var i("i");
  expect_agreement(
      program_of({{A, Role::kInput}, {B, Role::kOutput}},
                 make_for(i, 0, 16, LoopKind::kSerial,
                          block({make_prefetch(A, {i + Expr(1 << 20)}, false, 3), make_prefetch(B, {i}, true, 1),
                                 make_store(B, {i}, make_load(A, {i}))}))));
}

}  // namespace
}  // namespace nestwright
