#include "templates/elementwise/elementwise.h"

#include "nestwright/tensor.h"
#include "templates/checking/element_rows.h"
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

ElementReference elementwise_reference_at(const Workload& workload, const InputValues& inputs,
                                          std::span<const std::int64_t> places) {
  constexpr std::int64_t kTogether = 4096;
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const double eps = epsilon_of(workload.type("dtype"));
  ElementReference reference = reference_of(places.size());
  for_rows(places, kTogether, [&](const RowPlaces& row) {
    const std::span<const std::int64_t> some = places.subspan(row.begin, row.end - row.begin);
    std::vector<double> a(some.size()), b(some.size());
    read_places(*inputs[0], some, 0, a);
    if (inputs.size() > 1) read_places(*inputs[1], some, 0, b);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double values[] = {a[i], b[i]};
      const BoundedValue judged = function.evaluate(std::span(values, inputs.size()), eps);
      reference.expected[row.begin + i] = judged.value;
      reference.bound[row.begin + i] = judged.bound;
    }
  });
  return reference;
}

LargeChecks elementwise_checks() {
  return {.reference_at = elementwise_reference_at, .wide_inputs = pointwise_wide_inputs};
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
          wide_inputs_of(elementwise_checks()),
          {},
          elementwise_checks()};
}

Reference elementwise_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t n = workload.elements("shape");
  const auto operands = static_cast<std::size_t>(find_pointwise(workload.choice("function")).operands);
  check_sizes(workload, inputs, std::vector<std::int64_t>(operands, n));
  return whole_reference(elementwise_checks(), workload, inputs, n);
}

}  // namespace nestwright
