// Our kernel as a user's program gets it: looked up in the database, compiled, called.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bench/comparison/results/conditions.h"
#include "bench/comparison/timing/operation.h"
#include "nestwright/export.h"
#include "nestwright/registry.h"
#include "nestwright/tensor.h"

namespace nestwright::bench {
namespace {

/// Views of all tensors of the operator, made in advance as they are not part of the call.
std::vector<ArrayView> views_of(const Definition& definition, const Operands& operands) {
  std::vector<ArrayView> views;
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    const std::vector<std::int64_t> shape = ir::constants_of(passed_shape(definition.args[i]));
    const std::vector<std::int64_t> strides = ir::constants_of(buffer->strides);
    const auto inputs = static_cast<std::size_t>(definition.inputs);
    if (i < inputs) {
      views.emplace_back(operands.inputs[i], buffer->element, shape, strides);
    } else {
      views.emplace_back(operands.outputs[i - inputs], buffer->element, shape, strides);
    }
  }
  return views;
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const std::optional<Workload> workload = workload_of_ours(request.workload, request.weights);
  if (!workload) return CannotDo{"has no weights to prepare"};
  Target target = Target::host();
  target.threads = request.threads;
  const CacheState caches = request.copies.size() > 1 ? CacheState::kCold : CacheState::kWarm;
  const auto applied =
      std::make_shared<AppliedKernel>(apply_best(*workload, target, request.database, request.template_name, caches));
  const Definition definition = *request.workload.definition;
  const auto call = [&](const Operands& operands) {
    const auto views = std::make_shared<const std::vector<ArrayView>>(views_of(definition, operands));
    std::vector<ArrayRef> arguments, constants;
    for (std::size_t i = 0; i < views->size(); ++i) {
      const bool is_constant = applied->function.program().parameters[i].is_constant;
      (is_constant ? constants : arguments).emplace_back((*views)[i]);
    }
    const Function function = constants.empty() ? applied->function : applied->function.prepare_of(constants);
    return [function, views, arguments] { function.call(arguments); };
  };
  return Operation{.detail = fmt::format("{} configuration of {}: {}", match_name(applied->found.match),
                                         applied->found.source->name, applied->found.config.str()),
                   .runs_avx512 = target.isa == CpuIsa::kAvx512,
                   .calls = calls_for(request.copies, call)};
}

}  // namespace nestwright::bench
