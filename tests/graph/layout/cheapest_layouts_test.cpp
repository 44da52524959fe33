// The cheapest layouts are those that trying all of them finds.
#include "graph/layout/cheapest_layouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "graph/layout/with_layouts.h"
#include "tests/graph/layout/layer_graph.h"

namespace nestwright {
namespace {

constexpr int kBlocks[] = {4, 8};

/// Random costs of nodes and conversions, which are the same whenever they are asked for.
LayoutCosts random_costs(unsigned seed, double conversions) {
  const auto number = [seed](std::size_t a, int b, int c) {
    std::mt19937 generator(seed + static_cast<unsigned>(a) * 9973 + static_cast<unsigned>(b * 131 + c));
    generator.discard(8);
    return std::uniform_real_distribution<double>(0, 1)(generator);
  };
  return {.node = [=](std::size_t node, int layout) { return number(node, layout, 1); },
          .conversion = [=](ValueId value, int from, int to) { return conversions * number(value, from, to + 7); }};
}

double least_by_trying_all(const LayoutProblem& problem) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> numbers(problem.nodes.size());
  for (bool has_more = true; has_more;) {
    Layouts layouts;
    for (std::size_t n = 0; n < numbers.size(); ++n) layouts.push_back(problem.nodes[n].layouts[numbers[n]]);
    least = std::min(least, cost_of(problem, layouts));
    has_more = false;
    for (std::size_t n = 0; n < numbers.size() && !has_more; ++n) {
      has_more = ++numbers[n] < problem.nodes[n].layouts.size();
      if (!has_more) numbers[n] = 0;
    }
  }
  return least;
}

void expect_exact(const Graph& graph) {
  const std::vector<Layouts> possible = possible_layouts(graph, kBlocks);
  for (unsigned seed = 0; seed < 10; ++seed) {
    const LayoutProblem problem = layout_problem(graph, possible, random_costs(seed, .2 * (1 + seed % 3)));
    const LayoutChoice choice = cheapest_layouts(problem);
    EXPECT_TRUE(choice.is_exact);
    EXPECT_NEAR(choice.cost, cost_of(problem, choice.layouts), 1e-9);
    EXPECT_NEAR(choice.cost, least_by_trying_all(problem), 1e-9);
  }
}

TEST(CheapestLayouts, OfAChain) {
  LayerGraph layers;
  ValueId x = layers.input(8);
  for (int i = 0; i < 6; ++i) x = layers.conv_1x1(x, i % 2 == 0 ? 12 : 8);
  layers.graph.add_output("y", x);
  expect_exact(layers.graph);
}

TEST(CheapestLayouts, OfResiduals) {
  LayerGraph layers;
  ValueId x = layers.conv(layers.input(3), 8);
  for (int i = 0; i < 3; ++i) x = layers.conv_added_to(layers.conv_1x1(x, 16), x);
  layers.graph.add_output("y", x);
  expect_exact(layers.graph);
}

TEST(CheapestLayouts, OfBranches) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(3), 16);
  const ValueId a = layers.conv_1x1(x, 8), b = layers.conv(layers.conv_1x1(x, 8), 8), c = layers.max_pool(x);
  layers.graph.add_output("y", layers.global_pool(layers.concat(layers.concat(a, b), c)));
  layers.graph.add_output("x", x);
  expect_exact(layers.graph);
}

TEST(CheapestLayouts, OfRandomGraphs) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937 generator(seed);
    LayerGraph layers;
    std::vector<ValueId> values{layers.conv(layers.input(3), 8)};
    for (int i = 0; i < 5; ++i) {
      const ValueId a = values[generator() % values.size()], b = values[generator() % values.size()];
      values.push_back(generator() % 2 == 0 ? layers.add(a, b) : layers.conv_1x1(a, 8));
    }
    for (const ValueId value : values) layers.graph.add_output("y", value);
    SCOPED_TRACE(seed);
    expect_exact(layers.graph);
  }
}

TEST(CheapestLayouts, ConversionsAreCountedAsTheGraphHasThem) {
  LayerGraph layers;
  const ValueId x = layers.conv(layers.input(8), 16);
  const ValueId a = layers.conv_1x1(x, 12), b = layers.grouped(x, 2);
  layers.graph.add_output("a", layers.conv_added_to(b, layers.max_pool(x)));
  layers.graph.add_output("b", layers.conv_added_to(b, layers.depthwise(a)));
  layers.graph.add_output("x", x);
  const std::vector<Layouts> possible = possible_layouts(layers.graph, kBlocks);
  const LayoutProblem problem =
      layout_problem(layers.graph, possible,
                     {.node = [](std::size_t, int) { return 0; }, .conversion = [](ValueId, int, int) { return 1; }});
  std::mt19937 generator(5);
  for (int sample = 0; sample < 30; ++sample) {
    Layouts layouts;
    for (const Layouts& own : possible) layouts.push_back(own[generator() % own.size()]);
    const GraphInLayouts result = with_layouts(layers.graph, layouts);
    const auto conversions =
        std::ranges::count_if(result.kernels, [](const KernelOrigin& origin) { return origin.conversion.has_value(); });
    EXPECT_EQ(cost_of(problem, layouts), conversions);
  }
}

TEST(CheapestLayouts, ALayoutOfInfiniteCostIsNotTaken) {
  LayerGraph layers;
  ValueId x = layers.conv(layers.input(3), 8);
  for (int i = 0; i < 3; ++i) x = layers.conv_1x1(x, 8);
  layers.graph.add_output("y", x);
  const LayoutProblem problem = layout_problem(
      layers.graph, possible_layouts(layers.graph, kBlocks),
      {.node =
           [](std::size_t node, int layout) {
             return node == 2 && layout == 4 ? std::numeric_limits<double>::infinity() : layout == 4 ? 1 : 2;
           },
       .conversion = [](ValueId, int, int) { return .3; }});
  const LayoutChoice choice = cheapest_layouts(problem);
  EXPECT_EQ(choice.layouts, (Layouts{4, 4, 0, 4}));
  EXPECT_NEAR(choice.cost, 1 + 1 + 2 + 1 + 3 * .3, 1e-9);
  EXPECT_EQ(uniform_layouts(problem, 4), (Layouts{4, 4, 0, 4}));
}

/// Residuals around branches.
Graph deep_network() {
  LayerGraph layers;
  ValueId x = layers.conv(layers.input(3), 16);
  for (int block = 0; block < 12; ++block) {
    const ValueId a = layers.conv_1x1(x, 8), b = layers.conv_1x1(layers.conv_1x1(x, 8), 4);
    const ValueId c = layers.max_pool(layers.conv_1x1(b, 4));
    x = layers.conv_added_to(layers.conv_1x1(layers.concat(layers.concat(a, b), c), 16), x);
  }
  layers.graph.add_output("y", x);
  return std::move(layers.graph);
}

TEST(CheapestLayouts, OfDeepNetworksAreExact) {
  const Graph graph = deep_network();
  const LayoutProblem problem = layout_problem(graph, possible_layouts(graph, kBlocks), random_costs(1, .2));
  const LayoutChoice choice = cheapest_layouts(problem);
  EXPECT_TRUE(choice.is_exact);
  for (const int layout : {0, 4, 8}) EXPECT_LT(choice.cost, cost_of(problem, uniform_layouts(problem, layout)));
}

TEST(CheapestLayouts, WithSmallTablesAreNoWorseThanUniformOnes) {
  const Graph graph = deep_network();
  const LayoutProblem problem = layout_problem(graph, possible_layouts(graph, kBlocks), random_costs(2, .2));
  const LayoutChoice choice = cheapest_layouts(problem, 30);
  EXPECT_FALSE(choice.is_exact);
  EXPECT_NEAR(choice.cost, cost_of(problem, choice.layouts), 1e-9);
  EXPECT_GE(choice.cost, cheapest_layouts(problem).cost - 1e-9);
  for (const int layout : {0, 4, 8}) EXPECT_LE(choice.cost, cost_of(problem, uniform_layouts(problem, layout)));
}

}  // namespace
}  // namespace nestwright
