// The graphs of a network of dense layers with relu between them: a step of gradient descent with momentum, and a test.
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "operators.h"

namespace mnist {

using Shape = std::vector<std::int64_t>;

/// The shapes of the weights and the bias of each layer. `sizes`: of an image and of each layer's result.
std::vector<Shape> parameter_shapes(const Shape& sizes);

/// Adds layers that are applied to `x`. `parameters`: the weights, then the bias of each layer.
ValueId add_layers(Graph& graph, ValueId x, const std::vector<ValueId>& parameters);

/// A step on `batch` images. Inputs: images (rows of float32), labels (int64), all parameters, the velocity of each.
/// Outputs: the sum of the losses before the step, all parameters and velocities after it.
Graph training_graph(const Shape& sizes, std::int64_t batch);

/// Inputs: images, labels, all parameters. The output is how many labels are predicted right, a float32.
Graph testing_graph(const Shape& sizes, std::int64_t batch);

}  // namespace mnist
