#include "templates/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expression/tensor.h"
#include "support/error.h"
#include "support/hash.h"
#include "templates/checking/rounding.h"
#include "templates/checking/whole_numbers.h"
#include "templates/checking/wide_magnitudes.h"
#include "templates/reduce/shape.h"

namespace nestwright {
namespace {

Definition define_reduce(const Workload& workload) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const Type type = workload.type("dtype");
  std::vector<Expr> shape, kept;
  std::vector<IterVar> axes;
  double elements = 1;
  for (const ReduceGroup& group : groups) {
    shape.emplace_back(group.extent);
    if (group.reduced) {
      axes.push_back(reduce_axis(group.extent, "r" + std::to_string(axes.size())));
    } else {
      kept.emplace_back(group.extent);
    }
    elements *= static_cast<double>(group.extent);
  }
  const auto results = static_cast<double>(kept_elements(groups));
  const Tensor x = placeholder(shape, type, "X");
  const Tensor y = compute(
      kept,
      [&](std::span<const Expr> i) {
        std::vector<Expr> at;
        auto next_kept = i.begin();
        auto next_reduced = axes.begin();
        for (const ReduceGroup& group : groups) at.push_back(group.reduced ? Expr(*next_reduced++) : *next_kept++);
        return reduction(workload, x.at(at), axes);
      },
      "Y");
  return {{x, y}, 1, elements, type.bytes() * (elements + results)};
}

/// The number of the result that element number `e` of the input is reduced to.
std::size_t result_of(const std::vector<ReduceGroup>& groups, std::size_t e) {
  std::size_t at = 0, stride = 1;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    const auto extent = static_cast<std::size_t>(group->extent);
    if (!group->reduced) at += e % extent * stride;
    if (!group->reduced) stride *= extent;
    e /= extent;
  }
  return at;
}

bool adds(const Workload& workload) {
  return workload.choice("function") == "sum" || workload.choice("function") == "mean";
}

}  // namespace

Operator reduce_operator() {
  using Kind = OperatorParameter::Kind;
  return {"reduce",
          "sum, mean, maximum or minimum over some of the dimensions of a tensor",
          {{"function", "what is computed", Kind::kChoice, "", {"sum", "mean", "max", "min"}},
           {"shape", "the shape of the input, which is compact", Kind::kShape, ""},
           {"axes", "the dimensions that are reduced, counted from 0", Kind::kAxes, ""},
           {"dtype", "the type of the elements", Kind::kType, "float32"}},
          define_reduce,
          reduce_reference,
          reduce_whole_inputs,
          reduce_wide_inputs};
}

Reference reduce_reference(const Workload& workload, const HostTensors& inputs) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const auto results = static_cast<std::size_t>(kept_elements(groups));
  std::size_t elements = 1;
  for (const ReduceGroup& group : groups) elements *= static_cast<std::size_t>(group.extent);
  if (inputs.size() != 1 || inputs[0].size() != elements) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  const std::string& function = workload.choice("function");
  const bool is_sum = adds(workload);
  const double start = is_sum              ? 0
                       : function == "max" ? -std::numeric_limits<double>::infinity()
                                           : std::numeric_limits<double>::infinity();
  Reference reference = one_result(results, start);
  std::vector<double>&value = reference.expected[0], &bound = reference.bound[0];
  // Kahan's summation: sums of many terms in float64 are held to bounds of that type, too. The bounds are at first the
  // sums of the squares.
  std::vector<double> lost(results);
  for (std::size_t e = 0; e < elements; ++e) {
    const std::size_t at = result_of(groups, e);
    const double x = inputs[0][e];
    if (is_sum) {
      const double term = x - lost[at], after = value[at] + term;
      lost[at] = (after - value[at]) - term;
      value[at] = after;
      bound[at] += x * x;
    } else {
      value[at] = function == "max" ? std::max(value[at], x) : std::min(value[at], x);
    }
  }
  if (!is_sum) return reference;
  const double terms = static_cast<double>(elements) / static_cast<double>(results);
  const bool is_mean = function == "mean";
  const double eps = epsilon_of(workload.type("dtype")), relative = summation_error(terms, workload.type("dtype"));
  for (std::size_t i = 0; i < results; ++i) {
    bound[i] = relative * std::sqrt(bound[i]);
    if (!is_mean) continue;
    value[i] /= terms;
    bound[i] = bound[i] / terms + 2 * eps * std::abs(value[i]);
  }
  return reference;
}

HostTensors reduce_whole_inputs(const Workload& workload) {
  const Type type = workload.type("dtype");
  if (workload.choice("function") != "sum" || !type.is_float()) return {};
  double elements = 1, terms = 1;
  for (const ReduceGroup& group : reduce_groups(workload)) {
    elements *= static_cast<double>(group.extent);
    if (group.reduced) terms *= static_cast<double>(group.extent);
  }
  WholeNumbers numbers(terms, 1, largest_exact(type), stable_hash(workload.str()));
  HostTensors inputs;
  inputs.push_back(numbers.draw(static_cast<std::size_t>(elements)));
  return inputs;
}

CheckedInputs reduce_wide_inputs(const Workload& workload, const CheckedInputs& uniform) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const std::size_t elements = uniform.inputs[0].size();
  WideMagnitudes magnitudes(workload.type("dtype"), workload);
  std::vector<double> x;
  if (adds(workload)) {
    const std::vector<double> scales =
        magnitudes.scales(static_cast<std::size_t>(kept_elements(groups)), magnitudes.reach());
    x = magnitudes.draw_scaled(elements, [&](std::size_t e) { return scales[result_of(groups, e)]; });
  } else {
    x = magnitudes.draw_each(elements);
  }
  CheckedInputs wide;
  wide.inputs.push_back(std::move(x));
  return wide;
}

}  // namespace nestwright
