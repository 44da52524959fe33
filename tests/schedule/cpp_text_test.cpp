// tests/cli/lower_cpp_test.cpp compiles such texts and compares the loops.
#include "schedule/trace/cpp_text.h"

#include "matmul_fixture.h"
#include "nestwright/tensor.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class CppTextTest : public MatmulSchedule {};

TEST_F(CppTextTest, DefinesTheTensorsAndAppliesThePrimitives) {
  const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {c});
  const auto panels =
      s.transform_layout(packed, [](auto at) { return std::vector<Expr>{at[1] / 16, at[0], at[1] % 16}; });
  s[packed].vectorize(panels[2]);
  const auto [i0, i1] = s[c].split(i, factor(14), Tail::compose({14, 8}));
  const auto [k0, k1] = s[c].split(s[c].reduce_axis(0), nparts(4), Tail::partition());
  s[c].reorder({i0, k0, i1, j});
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, k0);
  s[tile].compute_at(s[c], k0);
  s[tile].prefetch(a, k1, 4);
  s[c].parallel(i0);
  EXPECT_EQ(cpp_text(s, {a, b, c}),
            R"(const Tensor A = placeholder({64, 32}, kFloat32, "A");
const Tensor B = placeholder({32, 48}, kFloat32, "B");
const IterVar k = reduce_axis(32, "k");
const Tensor C = compute({64, 48}, [&](Expr i, Expr j) -> Expr { return sum(A(i, k) * B(k, j), k); }, "C");
const std::vector<Tensor> args = {A, B, C};

Schedule s = create_schedule(C);
const Tensor B_cache = s.cache_read(B, ir::Scope::kGlobal, {C});
const std::vector<IterVar> B_cache_loops = s.transform_layout(B_cache, [](auto at) { return std::vector<Expr>{at[1] / 16, at[0], at[1] % 16}; });
s[B_cache].vectorize(B_cache_loops[2]);
const IterVar C_i = s[C].axis(0);
const auto [C_i_outer, C_i_inner] = s[C].split(C_i, factor(14), Tail::compose({14, 8}));
const auto [C_k_outer, C_k_inner] = s[C].split(k, nparts(4), Tail::partition());
const IterVar C_j = s[C].axis(1);
s[C].reorder({C_i_outer, C_k_outer, C_i_inner, C_j});
const Tensor C_tile = s.cache_write(C, ir::Scope::kRegister, C_k_outer);
s[C_tile].compute_at(s[C], C_k_outer);
s[C_tile].prefetch(A, C_k_inner, 4);
s[C].parallel(C_i_outer);
)");
}

TEST_F(CppTextTest, ALayoutOfAReductionNamesTheLoopsThatThePrimitiveReturns) {
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal);
  const auto stored = s.transform_layout(tile, [](auto at) { return std::vector<Expr>{at[1], at[0]}; });
  s[tile].reorder({stored[0], k, stored[1]});
  EXPECT_THAT(
      cpp_text(s, {a, b, c}),
      ::testing::HasSubstr("const std::vector<IterVar> C_tile_loops = s.transform_layout(C_tile, [](auto at) { return "
                           "std::vector<Expr>{at[1], at[0]}; });\n"
                           "s[C_tile].reorder({C_tile_loops[0], k, C_tile_loops[1]});\n"));
}

TEST(CppText, NamesAreIdentifiersOfTheirOwn) {
  const Tensor max_tensor = placeholder({8}, kInt8, "max");
  const Tensor sum_tensor =
      compute({8}, [&](Expr i) { return cast(kFloat32, max_tensor(i) - 3) * 0.5 + max(cast(kFloat32, i), 2.0); }, "s");
  const Schedule s = create_schedule(sum_tensor);
  const std::string text = cpp_text(s, {max_tensor, sum_tensor});
  EXPECT_THAT(text, ::testing::HasSubstr("const Tensor max_2 = placeholder({8}, kInt8, \"max\");\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("return cast(kFloat32, max_2(i) - 3) * 0.5 + max(cast(kFloat32, i), 2.0);"));
  EXPECT_THAT(text, ::testing::HasSubstr("Schedule s = create_schedule(s_2);\n"));
}

TEST(CppText, NamesAreNoneOfTheLanguage) {
  for (const char* name : {"catch", "co_await", "xor_eq", "char8_t", "kFloat32", "kThreadIdxX", "INFINITY", "INT64_MIN",
                           "SplitSize", "find_tensor_intrinsic", "rsqrt", "round_tf32", "kUInt16"}) {
    const Tensor x = placeholder({8}, kFloat32, name);
    const Tensor y = compute({8}, [&](Expr i) { return x(i) * 2.0; }, "y");
    const std::string expected = std::string("const Tensor ") + name + "_2 = placeholder({8}, kFloat32, \"" + name;
    EXPECT_THAT(cpp_text(create_schedule(y), {x, y}), ::testing::HasSubstr(expected));
  }
}

TEST(CppText, TensorsThatArePassedInAnotherShape) {
  const Tensor x = passed_as(placeholder({8, 49}, kFloat32, "x"), {8, 7, 7});
  const Tensor y = passed_as(compute({8, 49}, [&](Expr i, Expr j) { return x(i, j) * 2.0; }, "y"), {392});
  EXPECT_THAT(cpp_text(create_schedule(y), {x, y}),
              ::testing::HasSubstr(
                  R"(const Tensor x = passed_as(placeholder({8, 49}, kFloat32, "x"), {8, 7, 7});
const Tensor y = passed_as(compute({8, 49}, [&](Expr i, Expr j) -> Expr { return x(i, j) * 2.0; }, "y"), {392});
)"));
}

TEST(CppText, AStateThatNothingReadsIsDefined) {
  const Tensor x = placeholder({8}, kFloat32, "x");
  const Tensor state = placeholder({8}, kFloat32, "state"), unread = placeholder({8}, kFloat32, "unread");
  const Tensor p0 = compute({1}, [&](Expr i) { return x(i); }, "p0");
  const Tensor q0 = compute({1}, [&](Expr i) { return x(i) * 2.0; }, "q0");
  const Tensor p = compute({8}, [&](Expr t) { return state(t - 1) + x(t); }, "p");
  const Tensor q = compute({8}, [&](Expr t) { return state(t - 1) * x(t); }, "q");
  const std::vector<Tensor> results = scan({p0, q0}, {p, q}, {state, unread}, {}, "r");
  EXPECT_THAT(cpp_text(create_schedule(results), {x, results[0], results[1]}),
              ::testing::HasSubstr(R"(const Tensor unread = placeholder({8}, kFloat32, "unread");
const std::vector<Tensor> r = scan({p0, q0}, {p, q}, {state, unread}, {}, "r");
)"));
}

TEST(CppText, TheLargestUnsignedNumberHasItsType) {
  const Tensor x = placeholder({8, 4}, kUInt64, "x");
  const IterVar k = reduce_axis(4, "k");
  const Tensor y = compute({8}, [&](Expr i) { return min(x(i, k), k, {.where = x(i, k) > 0}); }, "y");
  EXPECT_THAT(cpp_text(create_schedule(y), {x, y}),
              ::testing::HasSubstr("return min(select(x(i, k) > 0, x(i, k), ir::make_int(-1, kUInt64)), k);"));
}

TEST(CppText, BodiesOfMoreThanEightIndicesTakeASpan) {
  const std::vector<Expr> shape = {2, 1, 1, 1, 1, 1, 1, 1, 3};
  const Tensor x = placeholder(shape, kFloat32, "x");
  const Tensor y = compute(shape, [&](std::span<const Expr> at) -> Expr { return x(at) * 2.0; }, "y");
  const Tensor one = compute(shape, [&](std::span<const Expr>) { return Expr(1.0); }, "one");
  EXPECT_THAT(cpp_text(create_schedule(y), {x, y}),
              ::testing::HasSubstr(
                  "const Tensor y = compute({2, 1, 1, 1, 1, 1, 1, 1, 3}, [&](std::span<const Expr> at) -> Expr { "
                  "return x(at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]) * 2.0; }, \"y\");\n"));
  EXPECT_THAT(cpp_text(create_schedule(one), {one}),
              ::testing::HasSubstr("[&](std::span<const Expr>) -> Expr { return ir::make_float(1.0, kFloat32); }"));
}

TEST(CppText, BitsCallsAndStartsOfReductions) {
  const Tensor x = placeholder({8, 4}, kInt32, "x");
  const IterVar k = reduce_axis(4, "k");
  const Tensor y =
      compute({8}, [&](Expr i) { return sum((x(i, k) & 7) << 2, k, {.where = x(i, k) > 0, .init = x(i, 0)}); }, "y");
  const Tensor z =
      compute({8}, [&](Expr i) { return call_extern(kFloat32, "sinf", {cos(cast(kFloat32, y(i)))}); }, "z");
  const std::string text = cpp_text(create_schedule(z), {x, z});
  EXPECT_THAT(text, ::testing::HasSubstr("return sum(select(x(i, k) > 0, ((x(i, k) & ir::make_int(7, kInt32)) << "
                                         "ir::make_int(2, kInt32)), 0), k, {.init = x(i, 0)});"));
  EXPECT_THAT(text, ::testing::HasSubstr("return call_extern(kFloat32, \"sinf\", {cos(cast(kFloat32, y(i)))});"));
}

Reducer make_argmin() {
  return {"arg min", {Expr(-1), max_value(kFloat32)}, [](std::span<const Expr> x, std::span<const Expr> y) {
            return std::vector<Expr>{select(x[1] <= y[1], x[0], y[0]), min(x[1], y[1])};
          }};
}

TEST(CppText, AReducerOfTheUserIsDefinedOnce) {
  const Tensor a = placeholder({8, 4}, kFloat32, "a");
  const Reducer argmin = make_argmin();
  const IterVar k = reduce_axis(4, "k"), l = reduce_axis(8, "l");
  const std::vector<Tensor> rows = compute_tuple(
      {8}, [&](std::span<const Expr> i) { return argmin({k, a(i[0], k)}, {k}, {}, {-1, a(i[0], 0)}); }, "rows");
  const Tensor place = compute({4}, [&](Expr j) { return argmin({l, a(l, j)}, {l}, a(l, j) > 0)[0]; }, "place");
  const Tensor both = compute({8, 4}, [&](Expr i, Expr j) { return rows[0](i) + place(j); }, "both");
  EXPECT_THAT(cpp_text(create_schedule(both), {a, both}),
              ::testing::StartsWith(R"(const Tensor a = placeholder({8, 4}, kFloat32, "a");
const IterVar k = reduce_axis(4, "k");
const Reducer arg_min("arg min", {Expr(-1), ir::make_float(INFINITY, kFloat32)},
    [](std::span<const Expr> a_2, std::span<const Expr> b) { return std::vector<Expr>{select(a_2[1] <= b[1], a_2[0], b[0]), min(a_2[1], b[1])}; });
const std::vector<Tensor> rows = compute_tuple(
    {8}, [&](std::span<const Expr> at) { return arg_min({Expr(k), a(at[0], k)}, {k}, {}, {Expr(-1), a(at[0], 0)}); }, "rows");
const IterVar l = reduce_axis(8, "l");
const Tensor place = compute({4}, [&](Expr i) -> Expr { return arg_min({select(a(l, i) > 0.0, Expr(l), -1), select(a(l, i) > 0.0, a(l, i), ir::make_float(INFINITY, kFloat32))}, {l})[0]; }, "place");
const Tensor both = )"));
}

TEST(CppText, AReducerMayIgnoreAnOperand) {
  const Tensor x = placeholder({8}, kInt32, "x");
  const IterVar k = reduce_axis(8, "k");
  const Reducer zero("zero", {ir::make_int(0, kInt32)},
                     [](std::span<const Expr>, std::span<const Expr>) { return std::vector<Expr>{0}; });
  const Tensor y = compute({1}, [&](Expr) { return zero({x(k)}, {k})[0]; }, "y");
  EXPECT_THAT(cpp_text(create_schedule(y), {x, y}),
              ::testing::HasSubstr(R"(const Reducer zero("zero", {ir::make_int(0, kInt32)},
    [](std::span<const Expr>, std::span<const Expr>) { return std::vector<Expr>{ir::make_int(0, kInt32)}; });
)"));
}

TEST(CppText, RefusesWhatHasNoText) {
  const Var n = var("n");
  const Tensor x = placeholder({n}, kFloat32, "x");
  const Tensor y = compute({n}, [&](Expr i) { return x(i) + 1.0; }, "y");
  const Schedule s = create_schedule(y);
  EXPECT_EQ(message<UsageError>([&] { cpp_text(s, {x, y}); }),
            "'n' is symbolic, and only constant extents are printed as C++");
}

TEST(CppText, OnlyBuiltInIntrinsicsHaveText) {
  const Tensor x = placeholder({5, 24}, kUInt8, "X"), y = placeholder({6, 32, 4}, kInt8, "Y");
  const IterVar ko = reduce_axis(6, "ko"), ki = reduce_axis(4, "ki");
  const Tensor z = compute(
      {5, 32},
      [&](Expr i, Expr j) { return sum(cast(kInt32, x(i, ko * 4 + ki)) * cast(kInt32, y(ko, j, ki)), {ko, ki}); }, "Z");
  const auto tensorized = [&](const TensorIntrinsic& intrinsic) {
    Schedule s = create_schedule(z);
    const auto [jo, ji] = s[z].split(s[z].axis(1), factor(16));
    s[z].reorder({s[z].axis(0), jo, ko, ji, ki});
    s[z].tensorize(ji, intrinsic);
    return cpp_text(s, {x, y, z});
  };
  TensorIntrinsic own = dot_u8s8_16x4();
  own.name = "dot";
  EXPECT_THAT(tensorized(dot_u8s8_16x4()),
              ::testing::HasSubstr("s[Z].tensorize(Z_j_inner, find_tensor_intrinsic(\"dot_u8s8_16x4\"));\n"));
  EXPECT_EQ(message<UsageError>([&] { tensorized(own); }),
            "the intrinsic 'dot' is the user's own, which has no text as C++");
}

}  // namespace
}  // namespace nestwright
