// Checks the kernels that are made of graphs, and the shapes that are inferred.
#include <gmock/gmock.h>

#include "examples/mnist/graph.h"
#include "nestwright/error.h"

namespace mnist {
namespace {

using nestwright::kFloat32;
using ::testing::ElementsAre;

TEST(Kernels, AProductABiasAndReluAreOne) {
  Graph graph;
  const Value x = graph.input(), w = graph.input(), b = graph.input();
  const Value y = graph.apply("relu", {graph.apply("add_bias", {graph.apply("product", {x, w}), b})});
  Types types{{x, {kFloat32, {7, 5}}}, {w, {kFloat32, {5, 3}}}, {b, {kFloat32, {3}}}};
  const std::vector<Kernel> kernels = make_kernels(graph, {y}, types);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].expression,
            "Y0[i,j] = sum(k, A[i,k] * B[k,j]); Y3[i,j] = Y0[i,j] + C[j]; Y[i,j] = max(Y3[i,j], 0.0); "
            "A: float32[7,5]; B: float32[5,3]; C: float32[3]; ");
  EXPECT_THAT(kernels[0].arguments, ElementsAre(x, w, b));
  EXPECT_THAT(types.at(y).shape, ElementsAre(7, 3));
}

TEST(Kernels, AValueThatIsAnOutputOrIsReadTwiceEndsOne) {
  Graph graph;
  const Value x = graph.input();
  const Value y = graph.apply("relu", {x}), twice = graph.apply("add", {y, y});
  const Value z = graph.apply("relu", {graph.apply("relu", {twice})});
  Types types{{x, {kFloat32, {7, 5}}}};
  EXPECT_EQ(make_kernels(graph, {z}, types).size(), 2u);
  EXPECT_EQ(make_kernels(graph, {z, twice}, types).size(), 3u);
}

TEST(Kernels, NoneHasMoreArgumentsThanLetters) {
  Graph graph;
  Value sum = graph.input();
  Types types{{sum, {kFloat32, {7}}}};
  for (int i = 0; i < 60; ++i) {
    const Value next = graph.input();
    types[next] = {kFloat32, {7}};
    sum = graph.apply("add", {sum, next});
  }
  std::set<Value> read;
  for (const Kernel& kernel : make_kernels(graph, {sum}, types)) {
    EXPECT_LE(kernel.arguments.size(), 24u) << kernel.expression;
    read.insert(kernel.arguments.begin(), kernel.arguments.end());
  }
  for (Value v = 0; v < sum; ++v) EXPECT_TRUE(read.contains(v) || graph.nodes[v].op != nullptr) << v;
}

TEST(Kernels, WhatNoOutputNeedsIsLeftOut) {
  Graph graph;
  const Value x = graph.input(), unused = graph.input();
  graph.apply("relu", {unused});
  Types types{{x, {kFloat32, {7}}}};
  EXPECT_EQ(make_kernels(graph, {graph.apply("relu", {x})}, types).size(), 1u);
}

TEST(Kernels, ShapesThatDoNotAgreeAreRefused) {
  Graph graph;
  const Value x = graph.input(), w = graph.input(), b = graph.input();
  const auto message = [&](Value output, std::vector<std::int64_t> bias) {
    Types types{{x, {kFloat32, {7, 5}}}, {w, {kFloat32, {6, 3}}}, {b, {kFloat32, std::move(bias)}}};
    try {
      make_kernels(graph, {output}, types);
    } catch (const nestwright::UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message(graph.apply("product", {x, w}), {3}), ::testing::HasSubstr("'k' runs over 5"));
  EXPECT_EQ(message(graph.apply("add_bias", {x, b}), {6}),
            "the shapes of tensors do not agree: Y[i,j] = A[i,j] + B[j]; A: float32[7,5]; B: float32[6]; ");
  EXPECT_EQ(message(graph.apply("add_bias", {x, b}), {5}), "accepted");
}

TEST(Kernels, AnUnknownOperatorIsRefused) {
  Graph graph;
  EXPECT_THROW(graph.apply("tanh", {graph.input()}), nestwright::UsageError);
}

}  // namespace
}  // namespace mnist
