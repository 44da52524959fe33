#include "network.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace mnist {

using namespace nestwright;

Value add_layers(Graph& graph, Value x, const std::vector<Value>& parameters) {
  for (std::size_t p = 0; p < parameters.size(); p += 2) {
    if (p > 0) x = graph.apply("relu", {x});
    x = graph.apply("add_bias", {graph.apply("product", {x, parameters[p]}), parameters[p + 1]});
  }
  return x;
}

Network::Network(const std::vector<std::int64_t>& sizes, float rate, Compiler& compiler)
    : training_{Executor({}, compiler)}, testing_{Executor({}, compiler)} {
  const auto bind = [&](Bindings& memory, Value value, const std::vector<std::int64_t>& shape, const auto& element) {
    Array& array = arrays_.emplace_back(Array::empty(kFloat32, shape));
    std::ranges::generate(array.as<float>(), element);
    memory.emplace(value, ArrayView(array.data(), array.type(), shape));
    return value;
  };
  const auto zero = [] { return 0.0F; };
  Graph graph;
  Bindings memory;
  std::vector<Value> parameters;
  const Value images = graph.input(), labels = graph.input();
  std::mt19937 random(1);
  for (std::size_t layer = 1; layer < sizes.size(); ++layer) {
    const std::int64_t from = sizes[layer - 1], to = sizes[layer];
    std::normal_distribution<float> weight(0, std::sqrt(2 / static_cast<float>(from)));
    parameters.push_back(bind(memory, graph.input(), {from, to}, [&] { return weight(random); }));
    parameters.push_back(bind(memory, graph.input(), {to}, zero));
  }
  const Value scores = add_layers(graph, images, parameters);

  Graph test = graph;
  testing_ = {Executor({}, compiler), memory, test.apply("count_right", {scores, labels})};
  test.outputs = {bind(testing_.memory, testing_.result, {}, zero)};
  testing_.executor = Executor(std::move(test), compiler);

  const Value loss = bind(memory, graph.apply("cross_entropy", {scores, labels}), {}, zero);
  graph.outputs = {loss};
  inverse_batch_ = bind(memory, graph.input(), {}, zero);
  const Value momentum = bind(memory, graph.input(), {}, [] { return 0.9F; });
  const Value learning_rate = bind(memory, graph.input(), {}, [&] { return rate; });
  const std::vector<Value> gradients = add_gradients(graph, loss, inverse_batch_, parameters);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const ArrayView parameter = memory.at(parameters[p]);
    const Value velocity = bind(memory, graph.input(), parameter.shape(), zero);
    const Value next_velocity = graph.apply("accelerate", {gradients[p], velocity, momentum});
    const Value next_parameter = graph.apply("descend", {parameters[p], next_velocity, learning_rate});
    graph.outputs.insert({next_velocity, next_parameter});
    memory.emplace(next_velocity, memory.at(velocity));  // in place
    memory.emplace(next_parameter, parameter);
  }
  training_ = {Executor(std::move(graph), compiler), std::move(memory), loss};
}

double Network::train(const ArrayView& images, const ArrayView& labels) {
  *static_cast<float*>(training_.memory.at(inverse_batch_).data()) = 1 / static_cast<float>(images.shape()[0]);
  return run(training_, images, labels);
}

double Network::run(Pass& pass, const ArrayView& images, const ArrayView& labels) {
  pass.memory.insert_or_assign(0, images);
  pass.memory.insert_or_assign(1, labels);
  pass.executor.run(pass.memory);
  return *static_cast<const float*>(pass.memory.at(pass.result).data());
}

}  // namespace mnist
