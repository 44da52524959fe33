#include "network.h"

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

Network::Network(const std::vector<std::int64_t>& sizes, Compiler& compiler) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto bind = [&](Value value, std::vector<std::int64_t> shape, float mean = 0, float deviation = 0) {
    Array& array = arrays_.emplace_back(Array::empty(kFloat32, std::move(shape)));
    for (float& element : array.as<float>()) element = mean + deviation * normal(random);
    memory_.emplace(value, ArrayView(array.data(), array.type(), array.shape()));
    return value;
  };
  images_ = graph_.input(), labels_ = graph_.input();
  inverse_batch_ = bind(graph_.input(), {});
  const Value rate = bind(graph_.input(), {}, 0.1F), momentum = bind(graph_.input(), {}, 0.9F);
  std::vector<Value> parameters;
  for (std::size_t layer = 1; layer < sizes.size(); ++layer) {
    const float deviation = std::sqrt(2 / static_cast<float>(sizes[layer - 1]));
    parameters.push_back(bind(graph_.input(), {sizes[layer - 1], sizes[layer]}, 0, deviation));
    parameters.push_back(bind(graph_.input(), {sizes[layer]}));
  }
  const Value scores = add_layers(graph_, images_, parameters);
  right_ = bind(graph_.apply("count_right", {scores, labels_}), {});
  loss_ = bind(graph_.apply("cross_entropy", {scores, labels_}), {});

  const std::vector<Value> gradients = add_gradients(graph_, loss_, inverse_batch_, parameters);
  std::set<Value> outputs{loss_};
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::vector<std::int64_t> shape = memory_.at(parameters[p]).shape();
    const Value velocity = bind(graph_.input(), shape);
    const Value new_velocity = bind(graph_.apply("accelerate", {gradients[p], velocity, momentum}), shape);
    const Value new_parameter = bind(graph_.apply("descend", {parameters[p], new_velocity, rate}), shape);
    updates_.insert(updates_.end(), {{velocity, new_velocity}, {parameters[p], new_parameter}});
    outputs.insert({new_velocity, new_parameter});
  }
  trainer_.emplace(graph_, outputs, compiler);
  tester_.emplace(graph_, std::set<Value>{right_}, compiler);
}

double Network::train(const ArrayView& images, const ArrayView& labels) {
  *static_cast<float*>(memory_.at(inverse_batch_).data()) = 1 / static_cast<float>(images.shape()[0]);
  const double loss = run(*trainer_, images, labels, loss_);
  for (const auto& [before, after] : updates_) std::swap(memory_.at(before), memory_.at(after));
  return loss;
}

double Network::run(Executor& executor, const ArrayView& images, const ArrayView& labels, Value result) {
  memory_.insert_or_assign(images_, images);
  memory_.insert_or_assign(labels_, labels);
  executor.run(memory_);
  return *static_cast<const float*>(memory_.at(result).data());
}

}  // namespace mnist
