#include "nestwright/tensor.h"

#include <gtest/gtest.h>

#include "tests/expression/expect_usage_error.h"

namespace nestwright {
namespace {

TEST(PassedShape, IsTheTensorsOwnUnlessAnotherIsGiven) {
  const Tensor x = placeholder({64, 49}, kFloat32, "X");
  EXPECT_EQ(ir::constants_of(passed_shape(x)), (std::vector<std::int64_t>{64, 49}));
  const Tensor passed = passed_as(x, {64, 7, 7});
  EXPECT_EQ(ir::constants_of(passed_shape(passed)), (std::vector<std::int64_t>{64, 7, 7}));
  EXPECT_EQ(ir::constants_of(passed.shape()), (std::vector<std::int64_t>{64, 49}));
  EXPECT_FALSE(passed == x);
  const Tensor y = passed_as(compute({64, 49}, [&](Expr i, Expr j) { return passed(i, j) + 1.0; }, "Y"), {3136});
  EXPECT_EQ(ir::constants_of(passed_shape(y)), (std::vector<std::int64_t>{3136}));
  EXPECT_EQ(ir::constants_of(passed_shape(passed_as(y, {56, 56}))), (std::vector<std::int64_t>{56, 56}))
      << "the last counts";
}

TEST(PassedShape, MayHaveNoDimension) {
  const Tensor passed = passed_as(placeholder({1, 1}, kFloat32, "X"), {});
  EXPECT_TRUE(passed_shape(passed).empty());
}

TEST(PassedShape, IsRefusedWhereItDoesNotHoldTheElements) {
  const Tensor x = placeholder({64, 49}, kFloat32, "X");
  expect_usage_error([&] { passed_as(x, {64, 7, 8}); },
                     "tensor 'X' has 3136 elements: it cannot be passed in the shape [64, 7, 8]");
  expect_usage_error([&] { passed_as(x, {}); }, "tensor 'X' has 3136 elements: it cannot be passed in the shape []");
  expect_usage_error([&] { passed_as(x, {-64, -49}); }, "it cannot be passed in the shape [-64, -49]");
  expect_usage_error([&] { passed_as(x, {INT64_MAX, 3136}); }, "it cannot be passed in the shape [9223372036854775807");
}

TEST(PassedShape, OfAnotherTensor) {
  const Tensor passed = passed_as(placeholder({64, 49}, kFloat32, "X"), {64, 7, 7});
  const Tensor y = placeholder({3136}, kFloat32, "Y");
  EXPECT_EQ(ir::constants_of(passed_shape(passed_like(y, passed))), (std::vector<std::int64_t>{64, 7, 7}));
  EXPECT_EQ(passed_like(y, y), y);
}

TEST(PassedShape, IsRefusedForTensorsThatHaveOnlyTheirOwn) {
  const Expr n = var("n");
  expect_usage_error([&] { passed_as(placeholder({n, 4}, kFloat32, "X"), {4}); },
                     "extent n of tensor 'X' is no constant: the tensor cannot be passed in another shape");
  expect_usage_error([&] { passed_as(placeholder({2, 4}, kFloat32, "X", {8, 1}), {8}); },
                     "tensor 'X' has strides: only a compact one can be passed in another shape");
  const Tensor a = placeholder({8}, kFloat32, "A");
  const std::vector<Tensor> both =
      compute_tuple({8}, [&](auto i) { return std::vector<Expr>{a(i[0]), a(i[0]) * 2.0}; }, "T");
  expect_usage_error([&] { passed_as(both[0], {2, 4}); },
                     "tensor 'T.v0' is a scan or one of several results, which cannot be passed in another shape");
  const Tensor x = placeholder({5, 8}, kFloat32, "X"), state = placeholder({5, 8}, kFloat32, "state");
  const Tensor init = compute({1, 8}, [&](Expr, Expr j) { return x(0, j); }, "init");
  const Tensor update = compute({5, 8}, [&](Expr t, Expr j) { return state(t - 1, j) + x(t, j); }, "update");
  expect_usage_error([&] { passed_as(scan(init, update, state, {x}, "Y"), {40}); }, "tensor 'Y' is a scan");
  expect_usage_error([&] { passed_as(Tensor(), {40}); }, "an undefined tensor is used");
}

}  // namespace
}  // namespace nestwright
