#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "ir/core/intrinsics.h"
#include "reference/double_program.h"
#include "reference/host_run.h"
#include "reference/reference.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// The numbers of up to `most` elements, in ascending order: all, or the first, the last and others at random.
std::vector<std::int64_t> sampled_elements(std::int64_t elements, std::int64_t most) {
  std::set<std::int64_t> chosen;
  std::mt19937_64 random(1);
  if (elements <= most) {
    for (std::int64_t e = 0; e < elements; ++e) chosen.insert(e);
  } else {
    chosen = {0, elements - 1};
    std::uniform_int_distribution<std::int64_t> any(0, elements - 1);
    while (static_cast<std::int64_t>(chosen.size()) < most) chosen.insert(any(random));
  }
  return {chosen.begin(), chosen.end()};
}

/// The sampled elements of the results of one operation.
struct Sample {
  Operation op;
  std::vector<std::int64_t> elements;
  std::vector<std::vector<double>> indices;  ///< one list a dimension
  std::vector<Tensor> index_tensors;
  JudgedRegion region;
};

Sample sample_of(const Operation& op, std::int64_t most) {
  Sample sample{.op = op};
  const std::vector<std::int64_t> shape = ir::constants_of(Tensor(op).shape());
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  sample.elements = sampled_elements(elements, most);
  const Expr count(static_cast<std::int64_t>(sample.elements.size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    elements /= shape[d];
    std::vector<double>& at = sample.indices.emplace_back();
    for (const std::int64_t e : sample.elements) at.push_back(static_cast<double>(e / elements % shape[d]));
    sample.index_tensors.push_back(placeholder({count}, kInt64, op->name + ".at" + std::to_string(d)));
  }
  sample.region.shape = {count};
  sample.region.axes = [tensors = sample.index_tensors, shape](std::span<const Expr> x) {
    std::vector<Expr> axes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      axes.push_back(clamp(tensors[d](x[0]), Expr(0), Expr(shape[d] - 1)));  // clamped for the verifier
    }
    return axes;
  };
  return sample;
}

const JudgedValues* find(const std::vector<JudgedValues>& tensors, const Tensor& tensor) {
  for (const JudgedValues& known : tensors) {
    if (known.tensor == tensor) return &known;
  }
  return nullptr;
}

bool agree(double compiled, double interpreted, double bound) {
  if (compiled == interpreted || (std::isnan(compiled) && std::isnan(interpreted))) return true;
  return std::abs(compiled - interpreted) <= bound || std::isnan(bound);
}

void compare(const Sample& sample, const JudgedValues& compiled, const std::vector<double>& interpreted,
             const std::vector<double>* bound) {
  for (std::size_t s = 0; s < sample.elements.size(); ++s) {
    const double got = compiled.values[static_cast<std::size_t>(sample.elements[s])];
    // Both results are rounded, so their bounds add up.
    if (agree(got, interpreted[s], bound == nullptr ? 0 : 2 * (*bound)[s])) continue;
    throw InternalError("the reference of '" + compiled.tensor.name() + "' is " + std::to_string(got) +
                        " as compiled, but " + std::to_string(interpreted[s]) + " as interpreted, at element " +
                        std::to_string(sample.elements[s]) + ": report this expression");
  }
}

}  // namespace

void check_with_interpreter(const std::vector<JudgedValues>& tensors, std::int64_t samples_of_each) {
  std::vector<Tensor> inputs, outputs, bounds;
  std::vector<const std::vector<double>*> values;
  DoubleProgram given(Rounding::kDouble);
  for (const JudgedValues& known : tensors) {
    const Tensor tensor = placeholder(known.tensor.shape(), in_double(known.tensor.dtype()), known.tensor.name());
    given.set(known.tensor, {tensor, {}});
    inputs.push_back(tensor);
    values.push_back(&known.values);
  }
  std::vector<Sample> samples;
  for (const JudgedValues& known : tensors) {
    const Operation& op = known.tensor.op();
    if (!op.is_placeholder() && known.tensor.result() == 0) samples.push_back(sample_of(op, samples_of_each));
  }
  for (const Sample& sample : samples) {
    for (std::size_t d = 0; d < sample.indices.size(); ++d) {
      inputs.push_back(sample.index_tensors[d]);
      values.push_back(&sample.indices[d]);
    }
    for (const Tensor& value : given.compute_values(sample.op, sample.region)) outputs.push_back(value);
    for (const JudgedTensor& judged : given.compute_region(sample.op, sample.region)) {
      if (judged.bound.defined()) bounds.push_back(judged.bound);
    }
  }
  const auto interpreted = run_unscheduled(inputs, values, outputs, RunBy::kInterpreter);
  std::vector<std::vector<double>> bound_values;
  if (!bounds.empty()) bound_values = run_unscheduled(inputs, values, bounds, RunBy::kCompiler);
  std::size_t next = 0, next_bound = 0;
  for (const Sample& sample : samples) {
    const std::vector<JudgedTensor> judged = given.compute_region(sample.op, sample.region);
    for (std::size_t r = 0; r < judged.size(); ++r) {
      const std::vector<double>* const bound = judged[r].bound.defined() ? &bound_values[next_bound++] : nullptr;
      const JudgedValues* const compiled = find(tensors, Tensor(sample.op, static_cast<int>(r)));
      check(compiled != nullptr, "every result of a judged operation is known");
      compare(sample, *compiled, interpreted[next++], bound);
    }
  }
}

}  // namespace nestwright
