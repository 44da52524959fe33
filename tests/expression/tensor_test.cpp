#include "nestwright/tensor.h"

#include <gtest/gtest.h>

#include <thread>

#include "expect_usage_error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

TEST(Placeholder, HasWhatItWasGiven) {
  const Tensor a = placeholder({8, 16}, kFloat32, "A", {32, 1});
  EXPECT_TRUE(a.op().is_placeholder());
  EXPECT_EQ(a.name(), "A");
  EXPECT_EQ(a.rank(), 2);
  EXPECT_EQ(a.dtype(), kFloat32);
  EXPECT_TRUE(ir::is_const_int(a.shape()[1], 16));
  EXPECT_TRUE(ir::is_const_int(a.buffer()->stride(0), 32));
  EXPECT_TRUE(a.op()->inputs.empty());
  EXPECT_EQ(to_string(a), "A: float32[8, 16]");
}

TEST(Placeholder, RefusesWhatIsNoTensor) {
  expect_usage_error([] { placeholder({8, 0}, kFloat32, "A"); },
                     "extent 1 of tensor 'A' is 0: an extent is at least 1");
  expect_usage_error([] { placeholder({-3}, kFloat32, "A"); }, "extent 0 of tensor 'A' is -3");
  expect_usage_error([] { placeholder({Expr()}, kFloat32, "A"); }, "extent 0 of tensor 'A' is undefined");
  expect_usage_error([] { placeholder({Expr(2.0)}, kFloat32, "A"); }, "is float32: an extent is int64");
  const Tensor lengths = placeholder({1}, kInt64, "L");
  expect_usage_error([&] { placeholder({lengths(0)}, kFloat32, "A"); },
                     "extent 0 of tensor 'A' is L[0]: an extent is made of integers and variables");
  expect_usage_error([&] { reduce_axis(lengths(0) + 1, "k"); },
                     "the extent of reduce axis 'k' is L[0] + 1: an extent is made of integers and variables");
  expect_usage_error([] { placeholder({8}, kFloat32, ""); }, "'' cannot name a tensor");
  expect_usage_error([] { placeholder({8}, kFloat32, "my tensor"); }, "use a word without spaces");
  expect_usage_error([] { placeholder({8, 8}, kFloat32, "A", {1}); }, "2 dimensions, but 1 strides");
  expect_usage_error([] { placeholder({8}, kFloat32.with_lanes(4), "A"); }, "elements are scalars");
  const Expr half(std::int64_t{1} << 32);
  expect_usage_error([&] { placeholder({half, half}, kFloat32, "A"); },
                     "tensor 'A' is larger than any address space: give smaller sizes");
}

TEST(Placeholder, TakesSymbolicExtents) {
  const Var n = var("n");
  const Tensor a = placeholder({n, 4}, kFloat64, "A");
  EXPECT_EQ(to_string(a), "A: float64[n, 4]");
}

TEST(Access, IsALoadOfTheBuffer) {
  const Tensor a = placeholder({8, 16}, kFloat32, "A");
  const IterVar k = reduce_axis(16, "k");
  const Expr e = a(3, k);
  const auto* load = e.as<ir::Load>();
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->buffer, a.buffer());
  EXPECT_EQ(e.type(), kFloat32);
  EXPECT_EQ(ir::to_string(e), "A[3, k]");
}

TEST(Access, RefusesWrongIndices) {
  const Tensor a = placeholder({8, 16}, kFloat32, "A");
  expect_usage_error([&] { a(1); }, "tensor 'A' has 2 dimensions, but is read with 1 indices");
  expect_usage_error([&] { a(1, 2, 3); }, "but is read with 3 indices");
  expect_usage_error([&] { a(1, 2.0); }, "index 1 of tensor 'A' is not an integer");
  expect_usage_error([] { Tensor().at({}); }, "this tensor is undefined");
}

TEST(Access, WidensSmallIndices) {
  const Tensor a = placeholder({8}, kFloat32, "A"), at = placeholder({4}, kInt32, "At");
  const Tensor gathered = compute({4}, [&](Expr i) { return a(at(i)); }, "G");
  EXPECT_EQ(ir::to_string(gathered.op().compute()->bodies[0]), "A[int64(At[i])]");
}

TEST(ReduceAxis, HasItsDomain) {
  const IterVar k = reduce_axis(2, 10, "k");
  EXPECT_TRUE(k.is_reduce());
  EXPECT_TRUE(ir::is_const_int(k.min(), 2));
  EXPECT_TRUE(ir::is_const_int(k.extent(), 10));
  expect_usage_error([] { reduce_axis(0, "k"); }, "the extent of reduce axis 'k' is 0: an extent is at least 1");
  expect_usage_error([] { reduce_axis(Expr(0.5), 4, "k"); }, "the start of reduce axis 'k' is not of type int64");
}

TEST(IterVar, IsTheSameThroughItsVariable) {
  const IterVar k = reduce_axis(10, "k"), other = reduce_axis(10, "k");
  EXPECT_EQ(k, IterVar(k.var(), k.min(), k.extent(), k.kind()));
  EXPECT_FALSE(k == other);
  EXPECT_FALSE(k == IterVar());
  EXPECT_EQ(IterVar(), IterVar());
  EXPECT_EQ(ir::to_string(k * 2 + 1), "k*2 + 1");
}

TEST(Tensor, IsMadeOnManyThreads) {
  const Tensor a = placeholder({64}, kFloat32, "A");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&a] {
      for (int n = 0; n < 200; ++n) {
        const Tensor b = compute({64}, [&](Expr i) { return a(i) + 1.0; }, "B");
        const Tensor c = compute({64}, [&](Expr i) { return b(i) * a(i); }, "C");
        ASSERT_EQ(c.op()->inputs, (std::vector<Operation>{b.op(), a.op()}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace nestwright
