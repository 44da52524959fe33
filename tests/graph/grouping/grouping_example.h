// Graphs that are computed before and after their groupings change.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "graph/evaluate.h"
#include "graph/grouping/grouping.h"
#include "graph/passes/passes.h"
#include "reference/host_run.h"

namespace nestwright {

class GroupingExample : public ::testing::Test {
 protected:
  static std::vector<float> random_numbers(const TensorType& type, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<float> values(static_cast<std::size_t>(type.elements()));
    for (float& value : values) value = numbers(generator);
    return values;
  }

  ValueId input(const std::string& name, std::vector<std::int64_t> shape) {
    return graph_.add_input(name, {kFloat32, std::move(shape)});
  }
  ValueId weights(std::vector<std::int64_t> shape) {
    const TensorType type{kFloat32, std::move(shape)};
    return graph_.add_constant(type, random_numbers(type, 100 + static_cast<unsigned>(graph_.values().size())));
  }
  ValueId softmax(ValueId x) {
    return graph_.apply(
        "Softmax",
        "M[h,i]=max(j,X[h,i,j]);E[h,i,j]=exp(X[h,i,j]-M[h,i]);S[h,i]=sum(j,E[h,i,j]);Y[h,i,j]=E[h,i,j]/S[h,i]",
        {{"X", x}});
  }
  /// Of 3 heads of 4 elements, 7 tokens.
  ValueId scores(ValueId q, ValueId k) {
    return graph_.apply("Scores", "T[h,i,j]=sum(d,Q[i,h,d]*K[j,h,d]);Y[h,i,j]=T[h,i,j]/2.0", {{"Q", q}, {"K", k}});
  }
  ValueId product(ValueId p, ValueId v) {
    return graph_.apply("MatMul", "Y[i,h,d]=sum(j,P[h,i,j]*V[j,h,d])", {{"P", p}, {"V", v}});
  }

  static std::vector<std::vector<double>> outputs_of(const Graph& graph) {
    GraphEvaluator evaluator(graph);
    unsigned seed = 1;
    for (const GraphPort& port : graph.inputs()) {
      const TensorType& type = graph.type(port.value);
      Array array = Array::empty(type.type, type.shape);
      const std::vector<float> values = random_numbers(type, seed++);
      array.copy_from(std::as_bytes(std::span(values)));
      evaluator.set(port.value, std::make_shared<const Array>(std::move(array)));
    }
    std::vector<std::vector<double>> outputs;
    for (const GraphPort& port : graph.outputs()) outputs.push_back(doubles_of(*evaluator.get(port.value)));
    return outputs;
  }

  /// The sites of a kind in the joined graph.
  std::vector<GroupingSite> sites_of(const std::string& kind) {
    joined_ = joined(graph_);
    std::vector<GroupingSite> sites = grouping_sites(joined_);
    std::erase_if(sites, [&](const GroupingSite& site) { return site.kind != kind; });
    return sites;
  }

  /// Changes all of them, and compares what the graphs compute.
  Graph changed(const std::vector<GroupingSite>& sites) {
    Graph result = named(with_groupings(joined_, sites, std::vector<bool>(sites.size(), true)));
    const std::vector<std::vector<double>> expected = outputs_of(graph_), actual = outputs_of(result);
    EXPECT_EQ(expected.size(), actual.size());
    for (std::size_t o = 0; o < expected.size(); ++o) {
      EXPECT_EQ(result.type(result.outputs()[o].value), graph_.type(graph_.outputs()[o].value));
      EXPECT_EQ(expected[o].size(), actual[o].size());
      for (std::size_t i = 0; i < expected[o].size(); ++i) {
        EXPECT_NEAR(expected[o][i], actual[o][i], 1e-4 * (1 + std::abs(expected[o][i])));
      }
    }
    return result;
  }

  /// The ops of the nodes that are neither views nor computed from constants alone.
  static std::vector<std::string> kernels_of(const Graph& graph) {
    std::vector<std::string> ops;
    for (const GraphNode& node : graph.nodes()) {
      if (!node.is_view() && !graph.value(node.outputs[0]).is_constant) ops.push_back(node.op);
    }
    return ops;
  }

  Graph graph_, joined_;
};

}  // namespace nestwright
