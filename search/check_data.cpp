#include "search/check_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "measure/elements.h"
#include "support/hash.h"
#include "templates/checking/wide_magnitudes.h"

namespace nestwright {
namespace {

/// A value drawn uniformly from [-1, 1] and rounded to the type; for integers of 8 bits, from all values.
double draw(ir::Type type, std::mt19937_64& random) {
  if (type.is_int()) {
    const double low = type.code == ir::TypeCode::kUInt ? 0 : -std::ldexp(1.0, type.bits - 1);
    const double values = std::ldexp(1.0, std::min<int>(type.bits, 8));
    return std::floor(std::uniform_real_distribution<double>(0, values)(random)) + std::max(low, -values / 2);
  }
  const double value = std::uniform_real_distribution<double>(-1, 1)(random);
  std::array<std::byte, 8> memory{};
  encode_elements(type, {&value, 1}, memory.data());
  return element_at(type, memory.data(), 0);
}

}  // namespace

CheckData make_check_data(const Workload& workload) {
  const Operator& op = *workload.op;
  const Definition definition = op.define(workload);
  CheckData data;
  std::mt19937_64 random(stable_hash(workload.str()));
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    const bool is_input = static_cast<int>(i) < definition.inputs;
    data.types.push_back(buffer->element);
    data.elements.push_back(buffer->elements());
    data.roles.push_back(is_input ? ir::Role::kInput : ir::Role::kOutput);
    if (!is_input) continue;
    std::vector<double>& values = data.inputs.emplace_back(static_cast<std::size_t>(buffer->elements()));
    for (double& value : values) value = draw(buffer->element, random);
  }
  Reference reference = op.reference(workload, data.inputs);
  data.expected = std::move(reference.expected);
  data.bound = std::move(reference.bound);
  return data;
}

CheckData make_strict_check_data(const Workload& workload) {
  CheckData data = make_check_data(workload);
  const Operator& op = *workload.op;
  if (op.whole_inputs) data.whole_inputs = op.whole_inputs(workload);
  if (!data.whole_inputs.empty()) data.whole_expected = op.reference(workload, data.whole_inputs).expected;
  CheckedInputs wide = make_wide_inputs(op, workload, {data.inputs, {data.expected, data.bound}});
  data.wide_inputs = std::move(wide.inputs);
  data.wide_expected = std::move(wide.reference.expected);
  data.wide_bound = std::move(wide.reference.bound);
  return data;
}

}  // namespace nestwright
