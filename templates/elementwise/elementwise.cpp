#include "templates/elementwise/elementwise.h"

#include <tbb/parallel_for.h>

#include "expression/tensor.h"
#include "support/error.h"
#include "templates/checking/rounding.h"
#include "templates/pointwise/functions.h"

namespace nestwright {
namespace {

Definition define_elementwise(const Workload& workload) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const std::int64_t n = workload.elements("shape");
  const Type type = workload.type("dtype");
  Definition definition;
  for (int i = 0; i < function.operands; ++i) {
    const char* name = function.operands == 1 ? "X" : i == 0 ? "A" : "B";
    definition.args.push_back(placeholder({Expr(n)}, type, name));
  }
  definition.inputs = function.operands;
  definition.args.push_back(compute(
      {Expr(n)},
      [&](Expr i) {
        std::vector<Expr> operands;
        for (int k = 0; k < function.operands; ++k) operands.push_back(definition.args[static_cast<std::size_t>(k)](i));
        return function.apply(operands);
      },
      "Y"));
  const auto elements = static_cast<double>(n);
  definition.flops = function.flops * elements;
  definition.bytes = (function.operands + 1.0) * type.bytes() * elements;
  return definition;
}

}  // namespace

Operator elementwise_operator() {
  using Kind = OperatorParameter::Kind;
  return {"elementwise",
          "a function of one or two tensors, element by element",
          {{"function", "what is computed", Kind::kChoice, "", pointwise_names(0)},
           {"shape", "the shape of the tensors, which are compact", Kind::kShape, ""},
           {"dtype", "the type of the elements", Kind::kType, "float32", {"float32"}}},
          define_elementwise,
          elementwise_reference,
          {},
          pointwise_wide_inputs};
}

Reference elementwise_reference(const Workload& workload, const HostTensors& inputs) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const auto n = static_cast<std::size_t>(workload.elements("shape"));
  const auto operands = static_cast<std::size_t>(function.operands);
  const double eps = epsilon_of(workload.type("dtype"));
  bool fits = inputs.size() == operands;
  for (const auto& input : inputs) fits = fits && input.size() == n;
  if (!fits) throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  Reference reference = one_result(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
    const double values[] = {inputs[0][i], inputs[operands - 1][i]};
    const Judged judged = function.judge(std::span(values, operands), eps);
    reference.expected[0][i] = judged.value;
    reference.bound[0][i] = judged.bound;
  });
  return reference;
}

}  // namespace nestwright
