#include "templates/sketch/rewrites/merge_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "nestwright/tensor.h"
#include "text/expression.h"
#include "text/tensors.h"

namespace nestwright {
namespace {

std::string shape_text(const std::vector<Expr>& shape) {
  return fmt::format("[{}]", fmt::join(ir::constants_of(shape), ", "));
}

/// The shapes that the expression of a text computes with: "X [64, 49], Y [49]".
std::string merged(const std::string& text) {
  const text::Signature before = text::make_tensors(text::Expression::parse(text).program());
  Definition definition{before.args, before.inputs};
  merge_axes(definition);
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const Tensor& tensor = definition.args[i];
    shapes.push_back(tensor.name() + " " + shape_text(tensor.shape()));
    EXPECT_EQ(shape_text(passed_shape(tensor)), shape_text(before.args[i].shape())) << tensor.name();
  }
  return fmt::format("{}", fmt::join(shapes, ", "));
}

TEST(MergeAxes, OfPlanes) {
  EXPECT_EQ(merged("O[n, o, y, x] = sum(c, W[o, c] * X[n, c, y, x]) n=2 o=64 c=32 y=7 x=7"),
            "W [64, 32], X [2, 32, 49], O [2, 64, 49]");
  EXPECT_EQ(merged("O[o, y, x] = sum(c, r, s, W[o, c, r, s] * X[c, y + r, x + s]) o=64 c=32 y=7 x=7 r=1 s=1"),
            "W [64, 32, 1, 1], X [32, 49], O [64, 49]")
      << "filters of 1 x 1";
  EXPECT_EQ(merged("Y[n, y, x, c] = X[n, y, x, c] + B[c] n=2 y=8 x=6 c=3"), "X [96, 3], B [3], Y [96, 3]");
}

TEST(MergeAxes, OfRowsOfAllImages) {
  EXPECT_EQ(merged("Y[b, s, j] = sum(k, X[b, s, k] * W[k, j]) b=4 s=127 j=64 k=32"),
            "X [508, 32], W [32, 64], Y [508, 64]");
  EXPECT_EQ(merged("Y[n, c, y, x] = max(r, s, X[n, c, 2*y + r, 2*x + s]) n=4 c=8 y=6 x=6 r=3 s=3"),
            "X [32, 13, 13], Y [32, 6, 6]");
}

TEST(MergeAxes, OfReductions) {
  EXPECT_EQ(merged("M[n, c] = sum(y, x, X[n, c, y, x]) n=2 c=8 y=7 x=7"), "X [16, 49], M [16]");
  EXPECT_EQ(merged("S[] = sum(i, j, X[i, j]) i=20 j=30"), "X [600], S []");
  EXPECT_EQ(merged("M[c] = sum(n, y, x, X[n, c, y, x]); Y[n, c, y, x] = X[n, c, y, x] - M[c] n=2 c=8 y=7 x=7"),
            "X [2, 8, 49], Y [2, 8, 49]");
}

TEST(MergeAxes, OnlyWhereAllReadsKeepThemTogether) {
  EXPECT_EQ(merged("Y[i, j] = X[j, i] i=20 j=30"), "X [30, 20], Y [20, 30]");
  EXPECT_EQ(merged("Y[i, j] = X[i, j] + B[j] i=20 j=30"), "X [20, 30], B [30], Y [20, 30]");
  EXPECT_EQ(merged("Y[i, j] = X[i, j] + X[i, j + 1] i=20 j=30"), "X [20, 31], Y [20, 30]");
  EXPECT_EQ(merged("Y[i, j] = X[i, j]; X: float32[20, 31] i=20 j=30"), "X [20, 31], Y [20, 30]")
      << "a row is a part of the tensor's";
  EXPECT_EQ(merged("Y[i, j] = X[i, j]; X: float32[25, 30] i=20 j=30"), "X [750], Y [600]") << "the first rows";
  EXPECT_EQ(merged("T[i, j] = exp(X[i, j]); Y[j, i] = T[i, j] i=20 j=30"), "X [20, 30], Y [30, 20]")
      << "what is read otherwise later stays, and so does what it is computed from";
  EXPECT_EQ(merged("Y[i, j] = argmax(k, X[i, j, k]) i=20 j=30 k=4"), "X [20, 30, 4], Y [20, 30]")
      << "the results of a tuple keep their axes";
}

TEST(MergeAxes, OfOneImageAsOfSeveral) {
  EXPECT_EQ(merged("M[n, c] = sum(y, x, X[n, c, y, x]); Y[n, c, y, x] = X[n, c, y, x] - M[n, c] n=1 c=64 y=7 x=7"),
            "X [64, 49], Y [64, 49]");
  EXPECT_EQ(merged("Y[b, s, j] = sum(k, X[b, s, k] * W[k, j]) b=1 s=127 j=64 k=32"),
            "X [127, 32], W [32, 64], Y [127, 64]");
  EXPECT_EQ(merged("Y[c, z, x] = X[c, z, x] * 2 c=8 z=1 x=9"), "X [72], Y [72]") << "between two others";
}

TEST(MergeAxes, LeavesScansAsTheyAre) {
  const Tensor x = placeholder({5, 8, 4}, kFloat32, "X"), state = placeholder({5, 8, 4}, kFloat32, "state");
  const Tensor init = compute({1, 8, 4}, [&](Expr, Expr i, Expr j) { return x(0, i, j); }, "init");
  const Tensor update =
      compute({5, 8, 4}, [&](Expr t, Expr i, Expr j) { return state(t - 1, i, j) + x(t, i, j); }, "update");
  Definition definition{{x, scan(init, update, state, {x}, "Y")}, 1};
  merge_axes(definition);
  EXPECT_EQ(definition.args.front(), x);
}

TEST(MergeAxes, LeavesStridedTensorsAsTheyAre) {
  const Tensor x = placeholder({8, 4}, kFloat32, "X", {6, 1});
  Definition definition{{x, compute({8, 4}, [&](Expr i, Expr j) { return x(i, j) + 1.0; }, "Y")}, 1};
  merge_axes(definition);
  EXPECT_EQ(definition.args.front(), x);
}

TEST(MergeAxes, TuplesReadWhatIsMadeAnew) {
  const Tensor x = placeholder({8, 4, 4}, kFloat32, "X");
  const IterVar j = reduce_axis(4, "j"), k = reduce_axis(4, "k");
  const Tensor sums = compute({8}, [&](Expr i) { return sum(x(i, j, k), {j, k}); }, "S");
  const std::vector<Tensor> both =
      compute_tuple({8}, [&](auto i) { return std::vector<Expr>{sums(i[0]), sums(i[0]) * 2.0}; }, "T");
  Definition definition{{x, both[0], both[1]}, 1};
  merge_axes(definition);
  EXPECT_EQ(shape_text(definition.args.front().shape()), "[8, 16]");
  EXPECT_EQ(definition.args[1].op(), definition.args[2].op());
  EXPECT_FALSE(definition.args[1].op() == both[0].op());
}

}  // namespace
}  // namespace nestwright
