#include "search/check_data.h"

#include <random>

#include "support/hash.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

double round_to(ir::Type type, double value) { return type == kFloat32 ? static_cast<float>(value) : value; }

}  // namespace

CheckData make_check_data(const Workload& workload) {
  const Operator& op = find_operator(workload.op);
  const Definition definition = op.define(workload);
  CheckData data;
  std::mt19937_64 random(stable_hash(workload.str()));
  std::uniform_real_distribution<double> unit(-1, 1);
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    const bool is_input = static_cast<int>(i) < definition.inputs;
    data.types.push_back(buffer->element);
    data.elements.push_back(buffer->elements());
    data.roles.push_back(is_input ? ir::Role::kInput : ir::Role::kOutput);
    if (!is_input) continue;
    std::vector<double>& values = data.inputs.emplace_back(static_cast<std::size_t>(buffer->elements()));
    for (double& value : values) value = round_to(buffer->element, unit(random));
  }
  Reference reference = op.reference(workload, data.inputs);
  data.expected = std::move(reference.expected);
  data.bound = std::move(reference.bound);
  return data;
}

}  // namespace nestwright
