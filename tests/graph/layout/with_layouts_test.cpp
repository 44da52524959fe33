// Graphs compute the same in all layouts.
#include "graph/layout/with_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graph/passes/passes.h"
#include "graph/print.h"
#include "graph/program/placement.h"
#include "tests/graph/graph_runs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kBlocks[] = {4, 8};

void expect_equal_results(const Graph& expected, const Graph& actual) {
  const std::vector<std::vector<double>> a = outputs_of_run(expected), b = outputs_of_run(actual);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t o = 0; o < a.size(); ++o) {
    ASSERT_EQ(expected.type(expected.outputs()[o].value), actual.type(actual.outputs()[o].value));
    for (std::size_t i = 0; i < a[o].size(); ++i) ASSERT_NEAR(a[o][i], b[o][i], 1e-4 * (1 + std::abs(a[o][i])));
  }
}

/// The nodes that are neither views nor constant.
std::vector<GraphNode> layers_of(const Graph& graph) {
  std::vector<GraphNode> layers;
  for (const GraphNode& node : graph.nodes()) {
    if (!node.is_view() && !graph.value(node.outputs[0]).is_constant) layers.push_back(node);
  }
  return layers;
}

class LayoutsOfGraph : public ::testing::Test {
 protected:
  ValueId weights(std::vector<std::int64_t> shape) {
    const TensorType type{kFloat32, std::move(shape)};
    return graph_.add_constant(type, random_numbers(type, 100 + static_cast<unsigned>(graph_.values().size())));
  }
  ValueId input(std::vector<std::int64_t> shape) { return graph_.add_input("x", {kFloat32, std::move(shape)}); }
  /// A convolution of 3 x 3 with as many filters, and its activation.
  ValueId conv(ValueId x, std::int64_t filters) {
    const std::int64_t channels = graph_.type(x).shape[0];
    return graph_.apply("Conv",
                        "T[o,y,x]=sum(c,r,s,X[c,y+r-1,x+s-1]?0*W[o,c,r,s]);Y[o,y,x]=max(T[o,y,x]+B[o],0) y=6 x=5",
                        {{"X", x}, {"W", weights({filters, channels, 3, 3})}, {"B", weights({filters})}});
  }
  Graph graph_;
};

TEST_F(LayoutsOfGraph, AConvolutionReadsAndComputesBlocks) {
  graph_.add_output("y", conv(input({8, 6, 5}), 16));
  EXPECT_THAT(possible_layouts(graph_, kBlocks), ElementsAre(ElementsAre(0, 4, 8)));
  const Graph blocked = with_layouts(graph_, {4}).graph;
  expect_equal_results(graph_, blocked);
  ASSERT_EQ(layers_of(blocked).size(), 3U);
  EXPECT_EQ(blocked.expression_of(layers_of(blocked)[1]),
            "T[i0,i1,i2,i3]=sum(i4,i5,i6,i7,X[i4,i1+i6-1,i2+i7-1,i5]?0*W[i0,i4,i6,i7,i5,i3]);"
            "Y[i0,i1,i2,i3]=max(T[i0,i1,i2,i3]+B[i0,i3],0);X:float32[n0,n1,n2,n3] "
            "i0=4 i1=6 i2=5 i3=4 i4=2 i5=4 i6=3 i7=3 n0=2 n1=6 n2=5 n3=4");
}

}  // namespace
}  // namespace nestwright
