// Graphs compute the same in all layouts, with as few conversions as their layouts need.
#include "graph/layout/with_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "graph/passes/passes.h"
#include "graph/print.h"
#include "graph/program/placement.h"
#include "nestwright/error.h"
#include "tests/graph/layout/layer_graph.h"

namespace nestwright {
namespace {

constexpr int kBlocks[] = {4, 8};

void expect_results(const std::vector<std::vector<double>>& expected, const Graph& graph) {
  const std::vector<std::vector<double>> actual = outputs_of_run(graph);
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    ASSERT_EQ(expected[o].size(), actual[o].size());
    for (std::size_t i = 0; i < expected[o].size(); ++i) {
      ASSERT_NEAR(expected[o][i], actual[o][i], 1e-4 * (1 + std::abs(expected[o][i])));
    }
  }
}

void expect_equal_results(const Graph& expected, const Graph& actual) {
  expect_results(outputs_of_run(expected), actual);
  for (std::size_t o = 0; o < expected.outputs().size(); ++o) {
    EXPECT_EQ(expected.type(expected.outputs()[o].value), actual.type(actual.outputs()[o].value));
  }
}

/// For each node the layout if it may have it, else 0.
Layouts all_in(const Graph& graph, int layout) {
  Layouts layouts;
  for (const Layouts& possible : possible_layouts(graph, kBlocks)) {
    layouts.push_back(std::ranges::find(possible, layout) == possible.end() ? 0 : layout);
  }
  return layouts;
}

std::ptrdiff_t conversions_of(const GraphInLayouts& result) {
  return std::ranges::count_if(result.kernels,
                               [](const KernelOrigin& origin) { return origin.conversion.has_value(); });
}

/// A network with a layer of each kind.
Graph network_of_layers() {
  LayerGraph layers;
  ValueId x = layers.conv(layers.input(3), 16);
  const ValueId pooled = layers.max_pool(x);
  x = layers.conv_added_to(layers.conv(pooled, 8), pooled);
  const ValueId scales = layers.global_pool(x);
  const ValueId scaled = layers.scaled(layers.depthwise(x), scales);
  x = layers.concat(layers.grouped(scaled, 2), layers.conv_1x1(scaled, 8));
  x = layers.concat(layers.part(x, 8, 16), layers.grouped_in_place(x, 2));
  const std::vector<ValueId> both = layers.both(layers.conv(x, 12), layers.conv_1x1(x, 12));
  layers.graph.add_output("sum", layers.resized(both[0]));
  layers.graph.add_output("product", layers.conv_1x1(both[1], 5));
  layers.graph.add_output("scales", scales);
  layers.graph.add_output("pooled", pooled);
  return std::move(layers.graph);
}

TEST(WithLayouts, AConvolutionReadsAndComputesBlocks) {
  LayerGraph layers;
  layers.graph.add_output("y", layers.conv(layers.input(8), 16));
  const GraphInLayouts blocked = with_layouts(layers.graph, {4});
  expect_equal_results(layers.graph, blocked.graph);
  const std::vector<GraphNode> kernels = kernels_of(named(blocked.graph));
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(blocked.graph.expression_of(kernels[0]), "Y[i0,i1,i2]=A[i0,i2,i1] i0=2 i1=30 i2=4");
  EXPECT_EQ(blocked.graph.expression_of(kernels[1]),
            "T[i0,i1,i2,i3]=sum(i4,i5,i6,i7,A[i4,i1+i6-1,i2+i7-1,i5]?0*B[i0,i4,i6,i7,i5,i3]);"
            "Y[i0,i1,i2,i3]=max(T[i0,i1,i2,i3]+C[i0,i3],0);A:float32[n0,n1,n2,n3];B:constant;C:constant "
            "i0=4 i1=6 i2=5 i3=4 i4=2 i5=4 i6=3 i7=3 n0=2 n1=6 n2=5 n3=4");
  EXPECT_EQ(blocked.graph.expression_of(kernels[2]), "Y[i0,i1,i2]=A[i0,i2,i1] i0=4 i1=4 i2=30");
  EXPECT_TRUE(blocked.kernels[0].conversion && blocked.kernels[2].conversion);
  EXPECT_EQ(blocked.kernels[1].node, 0U);
}

TEST(WithLayouts, AsInTheFileTheGraphStaysTheSame) {
  const Graph graph = network_of_layers();
  const GraphInLayouts same = with_layouts(graph, Layouts(graph.nodes().size(), 0));
  EXPECT_EQ(to_string(same.graph), to_string(graph));
  EXPECT_EQ(conversions_of(same), 0);
}

TEST(WithLayouts, AllAssignmentsComputeTheSame) {
  const Graph graph = network_of_layers();
  const std::vector<Layouts> possible = possible_layouts(graph, kBlocks);
  const std::vector<std::vector<double>> expected = outputs_of_run(graph);
  std::vector<Layouts> assignments{all_in(graph, 4), all_in(graph, 8)};
  std::mt19937 generator(3);
  for (int sample = 0; sample < 4; ++sample) {
    Layouts& layouts = assignments.emplace_back();
    for (const Layouts& own : possible) layouts.push_back(own[generator() % own.size()]);
  }
  for (const Layouts& layouts : assignments) {
    SCOPED_TRACE(::testing::PrintToString(layouts));
    const GraphInLayouts result = with_layouts(graph, layouts);
    const Graph kernels = named(result.graph);
    expect_results(expected, kernels);
    EXPECT_EQ(kernels_of(result.graph).size(), result.kernels.size());
    EXPECT_EQ(kernels_of(kernels).size(), result.kernels.size());
  }
}

TEST(WithLayouts, BatchesOfImagesAreBlockedByChannels) {
  LayerGraph layers;
  Graph& graph = layers.graph;
  const ValueId x = graph.add_input("x", {kFloat32, {2, 8, 6, 5}});
  const ValueId y = graph.apply("Conv", "Y[n,o,y,x]=sum(c,r,s,X[n,c,y+r-1,x+s-1]?0*W[o,c,r,s])+B[o] y=6 x=5",
                                {{"X", x}, {"W", layers.weights({8, 8, 3, 3})}, {"B", layers.weights({8})}});
  graph.add_output("y", graph.apply("Relu", "Y[n,c,y,x]=max(X[n,c,y,x],0)", {{"X", y}}));
  const GraphInLayouts result = with_layouts(graph, {4, 4});
  EXPECT_EQ(result.graph.type(kernels_of(result.graph)[1].outputs[0]).shape,
            (std::vector<std::int64_t>{2, 2, 6, 5, 4}));
  expect_equal_results(graph, result.graph);
}

TEST(WithLayouts, AReaderThatHasTheLayoutNeedsNoConversion) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 8);
  layers.graph.add_output("y", layers.global_pool(layers.conv_added_to(layers.depthwise(x), x)));
  EXPECT_EQ(conversions_of(with_layouts(layers.graph, {4, 4, 4, 4})), 0);
}

TEST(WithLayouts, ATensorIsConvertedOnceForAllReaders) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 8);
  const ValueId a = layers.depthwise(x), b = layers.conv_1x1(x, 8), c = layers.max_pool(x);
  for (const ValueId pooled : {layers.global_pool(a), layers.global_pool(b), layers.global_pool(c)}) {
    layers.graph.add_output("y", pooled);
  }
  EXPECT_EQ(conversions_of(with_layouts(layers.graph, {0, 4, 4, 4, 4, 4, 4})), 1);
  EXPECT_EQ(conversions_of(with_layouts(layers.graph, {0, 4, 4, 8, 4, 4, 8})), 2);
  EXPECT_EQ(conversions_of(with_layouts(layers.graph, {8, 4, 0, 4, 4, 0, 4})), 2);
}

TEST(WithLayouts, BlocksAreConvertedToOtherBlocks) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 16);
  layers.graph.add_output("a", layers.global_pool(layers.depthwise(x)));
  for (const Layouts& layouts : {Layouts{4, 8, 8}, Layouts{8, 4, 4}}) {
    const GraphInLayouts result = with_layouts(layers.graph, layouts);
    EXPECT_EQ(conversions_of(result), 1);
    expect_equal_results(layers.graph, result.graph);
  }
}

TEST(WithLayouts, AConstantIsPackedOnceForAllReaders) {
  LayerGraph layers;
  Graph& graph = layers.graph;
  const ValueId x = layers.input(8), w = layers.weights({8, 8});
  for (int i = 0; i < 2; ++i) {
    graph.add_output("y", graph.apply("Conv", "Y[o,y,x]=sum(c,X[c,y,x]*W[o,c])", {{"X", x}, {"W", w}}));
  }
  const Graph result = with_layouts(graph, {4, 4}).graph;
  const auto is_packed = [&](const GraphNode& node) {
    return !node.is_view() && result.value(node.outputs[0]).is_constant;
  };
  EXPECT_EQ(std::ranges::count_if(result.nodes(), is_packed), 1);
}

TEST(WithLayouts, PartsAndConcatenationsOfBlocksComputeNothing) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 8);
  const ValueId both = layers.concat(layers.conv_1x1(x, 16), layers.part(layers.max_pool(x), 4, 4));
  layers.graph.add_output("y", layers.conv(both, 8));
  const Graph result = with_layouts(layers.graph, all_in(layers.graph, 4)).graph;
  std::size_t placements = 0;
  for (const GraphNode& node : kernels_of(result)) placements += is_placement(node) ? 1 : 0;
  EXPECT_EQ(placements, 2U);
  expect_equal_results(layers.graph, result);
}

TEST(WithLayouts, AsManyChannelsAsABlockAreNoDimension) {
  LayerGraph layers;
  layers.graph.add_output("y", layers.global_pool(layers.conv(layers.input(3), 8)));
  const Graph result = with_layouts(layers.graph, {8, 8}).graph;
  EXPECT_EQ(result.type(kernels_of(result)[0].outputs[0]).shape, (std::vector<std::int64_t>{6, 5, 8}));
  expect_equal_results(layers.graph, result);
}

TEST(WithLayouts, OneRowAndColumnAreConvertedByAView) {
  LayerGraph layers;
  Graph& graph = layers.graph;
  const ValueId x = graph.add_input("x", {kFloat32, {8, 1, 1}});
  graph.add_output("y", layers.conv_1x1(x, 16));
  const GraphInLayouts result = with_layouts(graph, {4});
  EXPECT_EQ(conversions_of(result), 0);
  expect_equal_results(graph, result.graph);
}

TEST(WithLayouts, AnImpossibleAssignmentIsRefused) {
  LayerGraph layers;
  layers.graph.add_output("y", layers.conv(layers.input(3), 6));
  EXPECT_THROW(with_layouts(layers.graph, {4}), InternalError);
  EXPECT_THROW(with_layouts(layers.graph, {0, 0}), InternalError);
}

}  // namespace
}  // namespace nestwright
