// Holds gradients of examples/mnist against central differences, in double precision.
#include "examples/mnist/network.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace mnist {
namespace {

using namespace nestwright;

/// A graph whose inputs have memory of random numbers.
struct Bench {
  Graph graph;
  Memory memory;
  std::deque<Array> arrays;
  std::mt19937 random{7};
  Compiler compiler{"", true};

  Value bind(Value value, std::vector<std::int64_t> shape) {
    Array& array = arrays.emplace_back(Array::empty(kFloat64, std::move(shape)));
    for (double& element : array.as<double>()) element = std::uniform_real_distribution(-1.0, 1.0)(random);
    memory.emplace(value, ArrayView(array.data(), array.type(), array.shape()));
    return value;
  }
  Value input(std::vector<std::int64_t> shape) { return bind(graph.input(), std::move(shape)); }
  Value labels(const std::vector<std::int64_t>& columns) {
    const Value value = graph.input();
    Array& array = arrays.emplace_back(Array::empty(kInt64, {static_cast<std::int64_t>(columns.size())}));
    std::ranges::copy(columns, array.as<std::int64_t>().begin());
    memory.emplace(value, ArrayView(array.data(), array.type(), array.shape()));
    return value;
  }
  double* data(Value value) { return static_cast<double*>(memory.at(value).data()); }

  /// Compares the gradients of `loss`, a scalar, at every element of `inputs`.
  void compare(Value loss, const std::vector<Value>& inputs) {
    const Value seed = input({});
    *data(seed) = 0.5;
    const std::vector<Value> gradients = add_gradients(graph, loss, seed, inputs);
    std::set<Value> outputs{bind(loss, {})};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      outputs.insert(bind(gradients[i], memory.at(inputs[i]).shape()));
    }
    Executor executor(graph, outputs, compiler), forward(graph, {loss}, compiler);
    executor.run(memory);
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : memory.at(inputs[i]).shape()) elements *= extent;
      for (std::int64_t e = 0; e < elements; ++e) {
        double& element = data(inputs[i])[e];
        const double before = element;
        element = before + kStep;
        forward.run(memory);
        const double above = *data(loss);
        element = before - kStep;
        forward.run(memory);
        const double below = *data(loss);
        element = before;
        EXPECT_NEAR(data(gradients[i])[e], 0.5 * (above - below) / (2 * kStep), 1e-7) << "input " << i << ", " << e;
      }
    }
  }
};

TEST(Gradients, OfANetworkAgreeWithDifferences) {
  Bench bench;
  const Value images = bench.input({4, 6}), labels = bench.labels({2, 0, 1, 2});
  const std::vector<Value> parameters{bench.input({6, 5}), bench.input({5}),    bench.input({5, 4}),
                                      bench.input({4}),    bench.input({4, 3}), bench.input({3})};
  const Value scores = add_layers(bench.graph, images, parameters);
  bench.compare(bench.graph.apply("cross_entropy", {scores, labels}), parameters);
}

TEST(Gradients, OfAValueThatIsReadTwiceAreAdded) {
  Bench bench;
  const Value x = bench.input({3, 3}), w = bench.input({3, 3}), labels = bench.labels({1, 2, 0});
  const Value y = bench.graph.apply("relu", {bench.graph.apply("product", {x, w})});
  const Value sum = bench.graph.apply("add", {bench.graph.apply("product", {y, w}), y});
  bench.compare(bench.graph.apply("cross_entropy", {sum, labels}), {x, w});
}

TEST(Gradients, ThatDoNotExistAreRefused) {
  Graph graph;
  const Value x = graph.input(), other = graph.input(), labels = graph.input(), seed = graph.input();
  const Value loss = graph.apply("cross_entropy", {x, labels});
  const auto message = [&](Value result, Value input) {
    try {
      add_gradients(graph, result, seed, {input});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(loss, other), "the result does not depend on one of the inputs");
  EXPECT_EQ(message(loss, labels), "cross_entropy has no gradient rule");
  EXPECT_EQ(message(graph.apply("column_sum", {x}), x), "column_sum has no gradient rule");
}

}  // namespace
}  // namespace mnist
