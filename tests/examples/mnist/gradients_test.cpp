// Holds gradients of examples/mnist against central differences, in double precision.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "examples/mnist/layers.h"
#include "examples/mnist/unscheduled.h"

namespace mnist {
namespace {

using namespace nestwright;

/// A graph whose inputs are random numbers.
struct Bench {
  Graph graph;
  std::vector<Array> inputs;
  std::mt19937 random{7};

  ValueId input(const std::vector<std::int64_t>& shape) {
    Array& array = inputs.emplace_back(Array::empty(kFloat64, shape));
    for (double& element : array.as<double>()) element = std::uniform_real_distribution(-1.0, 1.0)(random);
    return graph.add_input("x", {kFloat64, shape});
  }
  ValueId labels(const std::vector<std::int64_t>& columns) {
    Array& array = inputs.emplace_back(Array::empty(kInt64, {static_cast<std::int64_t>(columns.size())}));
    std::ranges::copy(columns, array.as<std::int64_t>().begin());
    return graph.add_input("labels", {kInt64, array.shape()});
  }
  std::vector<Array> run(UnscheduledNetwork& network, const std::vector<Shape>& shapes) const {
    std::vector<Array> outputs;
    for (const Shape& shape : shapes) outputs.push_back(Array::empty(kFloat64, shape));
    network.run(std::vector<ArrayRef>{inputs.begin(), inputs.end()},
                std::vector<ArrayRef>{outputs.begin(), outputs.end()});
    return outputs;
  }

  /// Compares the gradients of `loss`, a scalar, at every element of the inputs of these numbers.
  void compare(ValueId loss, const std::vector<std::size_t>& numbers) {
    Graph forward_graph = graph;
    forward_graph.add_output("loss", loss);
    std::vector<ValueId> values;
    std::vector<Shape> shapes;
    for (const std::size_t number : numbers) {
      values.push_back(graph.inputs()[number].value);
      shapes.push_back(inputs[number].shape());
    }
    const ValueId seed = graph.add_constant({kFloat64, {}}, std::vector<double>{0.5});
    for (const ValueId gradient : add_gradients(graph, loss, seed, values)) graph.add_output("gradient", gradient);
    UnscheduledNetwork forward(with_kernels(forward_graph)), backward(with_kernels(graph));
    const std::vector<Array> gradients = run(backward, shapes);
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t e = 0; e < static_cast<std::size_t>(gradients[i].elements()); ++e) {
        double& element = inputs[numbers[i]].as<double>()[e];
        const double before = element;
        const auto loss_at = [&](double x) {
          element = x;
          return run(forward, {{}})[0].as<double>()[0];
        };
        const double difference = loss_at(before + kStep) - loss_at(before - kStep);
        element = before;
        EXPECT_NEAR(gradients[i].as<double>()[e], 0.5 * difference / (2 * kStep), 1e-7) << "input " << i << ", " << e;
      }
    }
  }
};

TEST(Gradients, OfANetworkAgreeWithDifferences) {
  Bench bench;
  const ValueId images = bench.input({4, 6}), labels = bench.labels({2, 0, 1, 2});
  const std::vector<ValueId> parameters{bench.input({6, 5}), bench.input({5}),    bench.input({5, 4}),
                                        bench.input({4}),    bench.input({4, 3}), bench.input({3})};
  const ValueId scores = add_layers(bench.graph, images, parameters);
  bench.compare(apply(bench.graph, "cross_entropy", {scores, labels}), {2, 3, 4, 5, 6, 7});
}

TEST(Gradients, OfAValueThatIsReadTwiceAreAdded) {
  Bench bench;
  const ValueId x = bench.input({3, 3}), w = bench.input({3, 3}), labels = bench.labels({1, 2, 0});
  const ValueId y = apply(bench.graph, "relu", {apply(bench.graph, "product", {x, w})});
  const ValueId sum = apply(bench.graph, "add", {apply(bench.graph, "product", {y, w}), y});
  bench.compare(apply(bench.graph, "cross_entropy", {sum, labels}), {0, 1});
}

TEST(Gradients, ThatDoNotExistAreRefused) {
  Graph graph;
  const ValueId x = graph.add_input("x", {kFloat32, {4, 3}}), other = graph.add_input("other", {kFloat32, {4, 3}});
  const ValueId labels = graph.add_input("labels", {kInt64, {4}}), seed = graph.add_input("seed", {kFloat32, {}});
  const ValueId loss = apply(graph, "cross_entropy", {x, labels});
  const auto message = [&](ValueId result, ValueId input) {
    try {
      add_gradients(graph, result, seed, {input});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(loss, other), "the result does not depend on one of the inputs");
  EXPECT_EQ(message(loss, labels), "cross_entropy has no gradient rule");
  EXPECT_EQ(message(apply(graph, "column_sum", {x}), x), "column_sum has no gradient rule");
}

}  // namespace
}  // namespace mnist
