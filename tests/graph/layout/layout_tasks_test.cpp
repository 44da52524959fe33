// The tasks of layouts are the kernels of graphs in layouts.
#include "graph/layout/layout_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "graph/layout/with_layouts.h"
#include "graph/passes/passes.h"
#include "tests/graph/layout/layer_graph.h"

namespace nestwright {
namespace {

constexpr int kBlocks[] = {4, 8};

TEST(LayoutTasks, AreTheKernelsOfAllAssignments) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 16);
  const ValueId deviation = layers.graph.apply("Sqrt", "Y[c,y,x]=sqrt(X[c,y,x])", {{"X", x}});  // gets a range
  const ValueId y = layers.conv_added_to(layers.depthwise(deviation), x);
  layers.graph.add_output("y", layers.conv_1x1(y, 12));
  const std::vector<Layouts> possible = possible_layouts(layers.graph, kBlocks);

  std::map<std::pair<std::size_t, int>, std::string> of_node;
  std::map<std::tuple<ValueId, int, int>, std::string> of_conversion;
  for (const LayoutTask& task : layout_tasks(layers.graph, possible)) {
    for (const auto& node : task.nodes) EXPECT_TRUE(of_node.emplace(node, task.workload).second);
    for (const LayoutConversion& c : task.conversions) {
      EXPECT_TRUE(of_conversion.emplace(std::tuple(c.value, c.from, c.to), task.workload).second);
    }
  }
  std::size_t choices = 0;
  for (const Layouts& own : possible) choices += own.size();
  EXPECT_EQ(of_node.size(), choices);
  EXPECT_THAT(of_node.at({1, 4}), ::testing::HasSubstr("in[0.0,"));

  std::mt19937 generator(1);
  for (int sample = 0; sample < 5; ++sample) {
    Layouts layouts;
    for (const Layouts& own : possible) layouts.push_back(own[generator() % own.size()]);
    const GraphInLayouts result = with_layouts(layers.graph, layouts);
    const Graph graph = named(result.graph);
    const std::vector<GraphNode> kernels = kernels_of(graph);
    ASSERT_EQ(kernels.size(), result.kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const KernelOrigin& origin = result.kernels[k];
      const std::string expected =
          origin.node ? of_node.at({*origin.node, layouts[*origin.node]})
                      : of_conversion.at({origin.conversion->value, origin.conversion->from, origin.conversion->to});
      EXPECT_EQ(graph.expression_of(kernels[k]), expected);
    }
  }
}

TEST(LayoutTasks, EqualOnesAreOneTask) {
  LayerGraph layers;
  ValueId x = layers.conv(layers.input(3), 8);
  for (int i = 0; i < 3; ++i) x = layers.conv_1x1(x, 8);
  layers.graph.add_output("y", x);
  const std::vector<LayoutTask> tasks = layout_tasks(layers.graph, possible_layouts(layers.graph, kBlocks));
  // Two convolutions in three layouts, and from each layout to each other one.
  EXPECT_EQ(tasks.size(), 6U + 6U);
}

TEST(LayoutTasks, AConversionOfOnePixelCostsNothing) {
  LayerGraph layers;
  const ValueId x = layers.graph.add_input("x", {kFloat32, {8, 1, 1}});
  layers.graph.add_output("y", layers.conv_1x1(x, 16));
  for (const LayoutTask& task : layout_tasks(layers.graph, possible_layouts(layers.graph, kBlocks))) {
    EXPECT_EQ(task.workload.empty(), !task.conversions.empty());
  }
}

}  // namespace
}  // namespace nestwright
