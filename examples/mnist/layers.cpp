#include "layers.h"

#include <string>

namespace mnist {
namespace {

using nestwright::kFloat32;
using nestwright::kInt64;

/// The values that both graphs begin with.
struct ForwardPass {
  ValueId labels, scores;
  std::vector<ValueId> parameters;
};

ForwardPass add_forward_pass(Graph& graph, const Shape& sizes, std::int64_t batch) {
  ForwardPass pass;
  const ValueId images = graph.add_input("images", {kFloat32, {batch, sizes[0]}});
  pass.labels = graph.add_input("labels", {kInt64, {batch}});
  for (const Shape& shape : parameter_shapes(sizes)) {
    pass.parameters.push_back(graph.add_input("parameter", {kFloat32, shape}));
  }
  pass.scores = add_layers(graph, images, pass.parameters);
  return pass;
}

/// A number, which with_kernels() writes into the expressions that read it.
ValueId add_number(Graph& graph, float number) {
  return graph.add_constant({kFloat32, {}}, std::vector<float>{number});
}

}  // namespace

std::vector<Shape> parameter_shapes(const Shape& sizes) {
  std::vector<Shape> shapes;
  for (std::size_t layer = 1; layer < sizes.size(); ++layer) {
    shapes.push_back({sizes[layer - 1], sizes[layer]});
    shapes.push_back({sizes[layer]});
  }
  return shapes;
}

ValueId add_layers(Graph& graph, ValueId x, const std::vector<ValueId>& parameters) {
  for (std::size_t p = 0; p < parameters.size(); p += 2) {
    if (p > 0) x = apply(graph, "relu", {x});
    x = apply(graph, "add_bias", {apply(graph, "product", {x, parameters[p]}), parameters[p + 1]});
  }
  return x;
}

Graph training_graph(const Shape& sizes, std::int64_t batch) {
  Graph graph;
  const auto [labels, scores, parameters] = add_forward_pass(graph, sizes, batch);
  const ValueId loss = apply(graph, "cross_entropy", {scores, labels});
  const ValueId seed = add_number(graph, 1 / static_cast<float>(batch));  // gradients are those of the mean
  const std::vector<ValueId> gradients = add_gradients(graph, loss, seed, parameters);

  const ValueId rate = add_number(graph, 0.1F), momentum = add_number(graph, 0.9F);
  std::vector<ValueId> new_parameters, new_velocities;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const ValueId velocity = graph.add_input("velocity", graph.type(parameters[p]));
    new_velocities.push_back(apply(graph, "accelerate", {gradients[p], momentum, velocity}));
    new_parameters.push_back(apply(graph, "descend", {parameters[p], rate, new_velocities[p]}));
  }
  graph.add_output("loss", loss);
  for (const ValueId parameter : new_parameters) graph.add_output("parameter", parameter);
  for (const ValueId velocity : new_velocities) graph.add_output("velocity", velocity);
  return graph;
}

Graph testing_graph(const Shape& sizes, std::int64_t batch) {
  Graph graph;
  const ForwardPass pass = add_forward_pass(graph, sizes, batch);
  graph.add_output("right", apply(graph, "count_right", {pass.scores, pass.labels}));
  return graph;
}

}  // namespace mnist
