// Of the kernels that the passes make of a network, as many as can be are searched with templates of products and
// convolutions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "graph/passes/passes.h"
#include "nestwright/model/graph.h"
#include "nestwright/text_operator.h"

namespace nestwright {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Adds layers to a graph, with weights that are not all equal.
class Layers {
 public:
  Graph graph;

  ValueId constant(std::vector<std::int64_t> shape) {
    const TensorType type{kFloat32, std::move(shape)};
    std::vector<float> values(static_cast<std::size_t>(type.elements()));
    std::iota(values.begin(), values.end(), 1.0F);
    return graph.add_constant(type, values);
  }

  /// A convolution of images [1, c, h, w] with bias, and what follows it.
  ValueId convolution(ValueId x, std::int64_t filters, std::int64_t size, const std::string& index) {
    const std::int64_t channels = graph.type(x).shape[1];
    const std::string sizes =
        " p=" + std::to_string(graph.type(x).shape[2]) + " q=" + std::to_string(graph.type(x).shape[3]);
    const ValueId sums =
        graph.apply("Conv", "Y[n, k, p, q] = sum(c, r, s, X[n, c, " + index + "]?0*W[k, c, r, s])" + sizes,
                    {{"X", x}, {"W", constant({filters, channels, size, size})}});
    return graph.apply("Bias", "Y[n, k, p, q] = X[n, k, p, q] + b[k]", {{"X", sums}, {"b", constant({filters})}});
  }
  ValueId relu(ValueId x) { return graph.apply("Relu", "Y[n, k, p, q] = max(X[n, k, p, q], 0)", {{"X", x}}); }
  ValueId add(ValueId x, ValueId y) {
    return graph.apply("Add", "Z[n, k, p, q] = X[n, k, p, q] + Y[n, k, p, q]", {{"X", x}, {"Y", y}});
  }
};

/// How many kernels of the optimised graph a set of templates for a CPU serves.
std::map<std::string, int> kernels_by_templates(const Graph& graph) {
  const Target target = Target::parse("cpu,isa=avx512,threads=2");
  std::map<std::string, int> counts;
  const Graph kernels = optimized(graph);
  for (const GraphNode& node : kernels.nodes()) {
    if (node.is_view() || kernels.value(node.outputs[0]).is_constant) continue;
    const Workload workload = workload_of(kernels.expression_of(node));
    std::string names;
    for (const Template* source : templates_for(workload, target)) {
      if (!source->is_generic) names += (names.empty() ? "" : " ") + source->name;
    }
    ++counts[names];
  }
  return counts;
}

TEST(KernelsOfGraphs, OfAResidualNetwork) {
  Layers layers;
  const ValueId x = layers.graph.add_input("x", {kFloat32, {1, 64, 14, 14}});
  const ValueId narrow = layers.relu(layers.convolution(x, 32, 1, "p + r, q + s"));
  const ValueId window = layers.relu(layers.convolution(narrow, 32, 3, "p + r - 1, q + s - 1"));
  const ValueId block = layers.relu(layers.add(layers.convolution(window, 64, 1, "p + r, q + s"), x));
  const ValueId means = layers.graph.apply("Mean", "Y[n, k] = sum(p, q, X[n, k, p, q])/196", {{"X", block}});
  const ValueId sums = layers.graph.apply("MatMul", "Y[n, j] = sum(k, X[n, k]*W[j, k])",
                                          {{"X", means}, {"W", layers.constant({40, 64})}});
  layers.graph.add_output(
      "y", layers.graph.apply("Bias", "Y[n, j] = X[n, j] + b[j]", {{"X", sums}, {"b", layers.constant({40})}}));
  EXPECT_THAT(kernels_by_templates(layers.graph),
              UnorderedElementsAre(Pair("matmul.cpu", 2), Pair("conv2d.winograd", 1), Pair("", 1),
                                   Pair("matmul.gemv matmul.cpu", 1)));
}

TEST(KernelsOfGraphs, OfATransformer) {
  Layers layers;
  Graph& graph = layers.graph;
  const ValueId x = graph.add_input("x", {kFloat32, {24, 96}});
  const auto project = [&](ValueId from, std::int64_t columns) {
    const ValueId sums = graph.apply("MatMul", "Y[i, j] = sum(k, X[i, k]*W[k, j])",
                                     {{"X", from}, {"W", layers.constant({graph.type(from).shape[1], columns})}});
    return graph.apply("Bias", "Y[i, j] = X[i, j] + b[j]", {{"X", sums}, {"b", layers.constant({columns})}});
  };
  const auto heads = [&](ValueId from) { return graph.reshape(from, {24, 3, 32}); };
  const auto query = heads(project(x, 96)), key = heads(project(x, 96)), value = heads(project(x, 96));
  const ValueId scores =
      graph.apply("Scores", "S[h, i, j] = sum(d, Q[i, h, d]*K[j, h, d])", {{"Q", query}, {"K", key}});
  const ValueId scaled = graph.apply("Div", "Y[h, i, j] = X[h, i, j]/5.66", {{"X", scores}});
  const ValueId rows = graph.apply("Softmax",
                                   "M[h, i] = max(j, X[h, i, j]); E[h, i, j] = exp(X[h, i, j] - M[h, i]); "
                                   "S[h, i] = sum(j, E[h, i, j]); Y[h, i, j] = E[h, i, j]/S[h, i]",
                                   {{"X", scaled}});
  const ValueId mixed = graph.apply("Mix", "Y[h, i, d] = sum(j, P[h, i, j]*V[j, h, d])", {{"P", rows}, {"V", value}});
  const ValueId joined = graph.apply("Join", "Y[i, h, d] = X[h, i, d]", {{"X", mixed}});
  const ValueId hidden = project(graph.reshape(joined, {24, 96}), 192);
  const ValueId gelu = graph.apply("Gelu", "Y[i, j] = 0.5*X[i, j]*(1 + erf(X[i, j]*0.70710678))", {{"X", hidden}});
  graph.add_output("y", graph.apply("Add", "Z[i, j] = X[i, j] + Y[i, j]", {{"X", project(gelu, 96)}, {"Y", x}}));
  const std::map<std::string, int> counts = kernels_by_templates(graph);
  int products = 0;
  for (const auto& [names, count] : counts) {
    if (names.find("matmul.cpu") != std::string::npos) products += count;
  }
  EXPECT_EQ(products, 6) << "three projections, scores, two layers of the perceptron; not the mixture, whose heads are "
                            "between its rows and its columns";
}

}  // namespace
}  // namespace nestwright
