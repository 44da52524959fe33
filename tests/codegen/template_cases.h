// Workloads, configurations and data for the tests that hold every template in the registry to the same contract.
// NESTWRIGHT_SOAK=N in the environment makes them try N times as many, with other random numbers.
// Thread rule: pure functions.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ir/core/scalar.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "run_program.h"
#include "tests/support/soak.h"
#include "tests/templates/all_templates.h"

namespace nestwright::testing {

/// The instruction set in names of tests.
inline std::string isa_name(CpuIsa isa) {
  return isa == CpuIsa::kAvx512 ? "avx512" : isa == CpuIsa::kAvx2 ? "avx2" : "x86_64";
}

inline std::mt19937_64 random_for(const std::string& what) {
  std::seed_seq seed{static_cast<int>(std::hash<std::string>()(what)), soak()};
  return std::mt19937_64(seed);
}

/// The text of a random workload of the operator, with sizes from `sizes`; filters of a convolution have extents of 1
/// and 3. A parameter with a default has it every other time, and always if the default depends on the other
/// parameters.
template <class Random>
std::string random_text(const Operator& op, const std::vector<std::int64_t>& sizes, Random& random) {
  std::string text = op.name;
  for (const OperatorParameter& parameter : op.parameters) {
    if (parameter.default_from || (!parameter.default_value.empty() && random() % 2 == 0)) continue;
    text += ' ' + parameter.name + '=';
    if (op.name == "conv2d" && (parameter.name == "r" || parameter.name == "s")) {
      text += random() % 2 == 0 ? "1" : "3";
      continue;
    }
    switch (parameter.kind) {
      case OperatorParameter::Kind::kSize:
        // A parameter with a default is a count, such as the products of a batch.
        text += std::to_string(parameter.default_value.empty() ? sizes[random() % sizes.size()]
                                                               : 1 + static_cast<std::int64_t>(random() % 3));
        break;
      case OperatorParameter::Kind::kCount:
        text += std::to_string(random() % 3);
        break;
      case OperatorParameter::Kind::kFlag:
        text += std::to_string(random() % 2);
        break;
      case OperatorParameter::Kind::kType:
        text += parameter.choices.empty() ? (random() % 3 == 0 ? "float64" : "float32")
                                          : parameter.choices[random() % parameter.choices.size()];
        break;
      case OperatorParameter::Kind::kChoice:
        text += parameter.choices[random() % parameter.choices.size()];
        break;
      case OperatorParameter::Kind::kNumber:
        text += std::array{"0", "1", "-0.75"}[random() % 3];
        break;
      case OperatorParameter::Kind::kShape:
        text += std::to_string(sizes[random() % sizes.size()]);
        for (std::size_t more = random() % 3; more > 0; --more)
          text += "x" + std::to_string(sizes[random() % sizes.size()] % 50 + 1);
        break;
      case OperatorParameter::Kind::kAxes:
        text += std::array{"0", "1", "2", "0,1", "1,2", "0,2", "0,1,2"}[random() % 7];
        break;
    }
  }
  return text;
}

/// A random workload that the operator accepts: values may be legal by themselves but not together.
template <class Random>
Workload random_workload(const std::shared_ptr<const Operator>& op, const std::vector<std::int64_t>& sizes,
                         Random& random) {
  for (;;) {
    try {
      return parse_workload(random_text(*op, sizes, random), op);
    } catch (const UsageError&) {
      continue;
    }
  }
}

/// A random workload that the template serves; tries sizes of 1 as well if the given ones do not suit it. Absent if it
/// serves none of many, such as a template that needs more threads.
template <class Random>
std::optional<Workload> random_workload(const Template& t, const Target& target, std::vector<std::int64_t> sizes,
                                        Random& random) {
  constexpr int kTries = 400;
  for (int i = 0; i < kTries; ++i) {
    if (i == kTries / 4) sizes.insert(sizes.end(), sizes.size(), 1);
    Workload workload = random_workload(operator_of(t), sizes, random);
    if (!t.why_not || t.why_not(workload, target).empty()) return workload;
  }
  return std::nullopt;
}

/// Rounds for a template: `most` for the product, whose space is the largest by far, less for the others.
inline int rounds_of(const Template& t, int most) {
  return (operator_of(t)->name == "matmul" ? most : (most + 2) / 3) * soak();
}

struct Candidate {
  const Template* definition;
  Workload workload;
  Target target;
  Config config;
  std::string str() const { return workload.str() + " @ " + target.str() + ": " + config.str(); }
};

inline ir::Program lowered(const Candidate& c) {
  const Instance instance = instantiate(*c.definition, c.workload, c.target, c.config);
  return lower(instance.schedule, instance.definition.args, c.target, "kernel");
}

/// The seeds of one workload (the first `seeds` of them) and `samples` valid points.
template <class Random>
std::vector<Candidate> candidates(const Template& t, const Workload& workload, const Target& target, std::size_t seeds,
                                  int samples, Random& random) {
  std::vector<Candidate> result;
  for (const Config& seed : t.seeds(workload, target)) {
    if (seeds-- == 0) break;
    result.push_back({&t, workload, target, seed});
  }
  const ConfigSpace space = discover_space(t, workload, target);
  for (int i = 0; i < samples; ++i) {
    if (const auto config = space.sample(random)) result.push_back({&t, workload, target, *config});
  }
  return result;
}

inline void write_value(Type type, double value, std::byte* at) {
  ir::write_element(
      type,
      type.is_float() ? ir::float_scalar(value) : ir::integer_scalar(static_cast<std::int64_t>(std::floor(value))), at);
}

inline double read_value(Type type, const std::byte* at) {
  const ir::Scalar scalar = ir::read_element(type, at);
  return type.is_float() ? scalar.f : static_cast<double>(scalar.i);
}

/// `value` rounded to an element of the type.
inline double rounded_to(Type type, double value) {
  std::byte memory[8] = {};
  write_value(type, value, memory);
  return read_value(type, memory);
}

inline std::byte* element_address(const Array& array, std::size_t element) {
  return static_cast<std::byte*>(const_cast<void*>(array.data())) +
         element * static_cast<std::size_t>(array.type().bytes());
}

/// Random inputs: uniform in [-1, 1] and rounded to the tensors' types; for integers any value of 8 bits.
template <class Random>
HostTensors random_inputs(const Definition& definition, Random& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostTensors tensors;
  for (int i = 0; i < definition.inputs; ++i) {
    const Tensor& tensor = definition.args[static_cast<std::size_t>(i)];
    std::size_t elements = 1;
    for (const Expr& extent : tensor.shape()) elements *= static_cast<std::size_t>(*ir::as_const_int(extent));
    std::vector<double>& values = tensors.emplace_back(elements);
    const ir::Type type = tensor.dtype();
    const double middle = type == kUInt8 ? 128 : 0, reach = type.is_int() ? 128 : 1;
    for (double& value : values) value = rounded_to(type, middle + reach * uniform(random));
  }
  return tensors;
}

/// Arrays for the whole signature, with inputs filled and outputs poisoned.
inline std::vector<Array> arrays_for(const Definition& definition, const HostTensors& inputs) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const Tensor& tensor = definition.args[i];
    Array array = Array::empty(tensor.dtype(), ir::constants_of(tensor.shape()));
    array.fill_bytes(0xff);  // a NaN in every element
    if (i < inputs.size()) {
      for (std::size_t e = 0; e < inputs[i].size(); ++e) {
        write_value(tensor.dtype(), inputs[i][e], element_address(array, e));
      }
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// The first wrong element of the outputs; empty if all are within the reference's bounds.
inline std::string wrong_output(const Definition& definition, const std::vector<Array>& arrays,
                                const Reference& reference) {
  for (std::size_t output = 0; output < reference.expected.size(); ++output) {
    const Array& array = arrays[static_cast<std::size_t>(definition.inputs) + output];
    for (std::size_t e = 0; e < reference.expected[output].size(); ++e) {
      const double value = read_value(array.type(), element_address(array, e));
      if (std::abs(value - reference.expected[output][e]) <= reference.bound[output][e]) continue;
      return "element " + std::to_string(e) + " is " + std::to_string(value) + ", not " +
             std::to_string(reference.expected[output][e]);
    }
  }
  return {};
}

}  // namespace nestwright::testing
