// tests/cli/lower_cpp_test.cpp compiles such texts and compares the loops.
#include "schedule/cpp_text.h"

#include "matmul_fixture.h"
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

TEST(CppText, RefusesWhatHasNoText) {
  const Var n = var("n");
  const Tensor x = placeholder({n}, kFloat32, "x");
  const Tensor y = compute({n}, [&](Expr i) { return x(i) + 1.0; }, "y");
  const Schedule s = create_schedule(y);
  EXPECT_EQ(message<UsageError>([&] { cpp_text(s, {x, y}); }),
            "'n' is symbolic, and only constant extents are printed as C++");
}

}  // namespace
}  // namespace nestwright
