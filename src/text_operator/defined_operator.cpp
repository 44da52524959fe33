#include <algorithm>

#include "nestwright/text_operator.h"
#include "reference/reference.h"
#include "templates/framework/template/limited_reference.h"
#include "text_operator/check_inputs.h"

namespace nestwright {
namespace {

double bytes_of(const std::vector<Tensor>& tensors) {
  double bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<double>(tensor.buffer()->elements()) * tensor.dtype().bytes();
  }
  return bytes;
}

}  // namespace

Operator defined_operator(std::string name, std::vector<OperatorParameter> parameters,
                          const std::function<Definition(const Workload&)>& define) {
  Operator op{.name = std::move(name), .parameters = std::move(parameters)};
  op.define = [define](const Workload& workload) {
    Definition definition = define(workload);
    if (definition.flops == 0) definition.flops = count_flops(definition.outputs());
    if (definition.bytes == 0) definition.bytes = bytes_of(definition.args);
    return definition;
  };
  op.reference = LimitedReference{[](const Workload& workload, const HostTensors& inputs, const ReferenceLimit& limit) {
    ReferenceOptions options = reference_options(workload, limit);
    options.kept_in.clear();  // the workload's text does not say what is computed
    return compute_reference(*workload.definition, inputs, options);
  }};
  return op;
}

}  // namespace nestwright
