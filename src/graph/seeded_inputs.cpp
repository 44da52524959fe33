#include "graph/seeded_inputs.h"

#include "measure/check/elements.h"

namespace nestwright {

std::vector<Array> seeded_inputs(const Graph& graph) {
  std::vector<Array> inputs;
  Uniform uniform;
  for (const GraphPort& input : graph.inputs()) {
    const TensorType& type = graph.type(input.value);
    std::vector<double> values(static_cast<std::size_t>(type.elements()));
    for (double& value : values) {
      const double number = uniform.next();
      value = type.type.is_float() ? number : (number < 0 ? 0 : 1);
    }
    inputs.push_back(Array::empty(type.type, type.shape));
    encode_elements(type.type, values, inputs.back().data());
  }
  return inputs;
}

}  // namespace nestwright
