#include "templates/reduce/reduce.h"

#include <utility>

#include "nestwright/tensor.h"
#include "support/data/hash.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/integers.h"
#include "templates/checking/mixed_magnitudes.h"
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

std::int64_t elements_of(const std::vector<ReduceGroup>& groups) {
  std::int64_t elements = 1;
  for (const ReduceGroup& group : groups) elements *= group.extent;
  return elements;
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

InputSources reduce_whole_sources(const Workload& workload) {
  const Type type = workload.type("dtype");
  if (workload.choice("function") != "sum" || !type.is_float()) return {};
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const std::int64_t elements = elements_of(groups);
  const auto terms = static_cast<double>(elements / kept_elements(groups));
  SmallIntegers numbers(terms, 1, largest_exact(type), stable_hash(workload.str()));
  return {numbers.draw(static_cast<std::size_t>(elements))};
}

InputSources reduce_wide_sources(const Workload& workload, const InputSources& uniform) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const std::size_t elements = uniform[0].size();
  MixedMagnitudes magnitudes(workload.type("dtype"), workload);
  if (!adds(workload)) return {magnitudes.draw_each(elements)};
  std::vector<double> scales = magnitudes.scales(static_cast<std::size_t>(kept_elements(groups)), magnitudes.reach());
  return {magnitudes.draw_scaled(
      elements, [groups, scales = std::move(scales)](std::size_t e) { return scales[result_of(groups, e)]; })};
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
          integer_inputs_of(reduce_checks()),
          wide_inputs_of(reduce_checks()),
          {},
          reduce_checks()};
}

LargeChecks reduce_checks() {
  return {
      .reference_at = reduce_reference_at, .integer_inputs = reduce_whole_sources, .wide_inputs = reduce_wide_sources};
}

Reference reduce_reference(const Workload& workload, const HostTensors& inputs) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  check_sizes(workload, inputs, {elements_of(groups)});
  return whole_reference(reduce_checks(), workload, inputs, kept_elements(groups));
}

}  // namespace nestwright
