// Inputs and targets of cases of matmul.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "ir/core/scalar.h"
#include "nestwright/registry.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing_matmul {

inline Workload workload(std::int64_t m, std::int64_t n, std::int64_t k, int transposed = 0,
                         const std::string& type = "float32") {
  return parse_workload("matmul m=" + std::to_string(m) + " n=" + std::to_string(n) + " k=" + std::to_string(k) +
                        " ta=" + std::to_string(transposed & 1) + " tb=" + std::to_string(transposed >> 1) +
                        " dtype=" + type);
}

inline Target target(CpuIsa isa, int threads = 1) { return cpu_target(isa, threads); }

inline std::vector<Target> targets() {
  return {target(CpuIsa::kAvx512), target(CpuIsa::kAvx512, 2), target(CpuIsa::kAvx2, 2), target(CpuIsa::kX86_64)};
}

/// `value`, rounded to an element of the type.
inline double rounded_to(ir::Type type, double value) {
  std::byte memory[8] = {};
  if (type.is_int()) return std::floor(value);
  ir::write_element(type, ir::float_scalar(value), memory);
  return ir::read_element(type, memory).f;
}

/// The bytes of elements with these values.
inline std::vector<std::byte> bytes_of(ir::Type type, const std::vector<double>& values) {
  const auto size = static_cast<std::size_t>(type.bytes());
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ir::Scalar scalar =
        type.is_float() ? ir::float_scalar(values[i]) : ir::integer_scalar(static_cast<std::int64_t>(values[i]));
    ir::write_element(type, scalar, &bytes[i * size]);
  }
  return bytes;
}

inline double element_of(ir::Type type, const std::vector<std::byte>& bytes, std::size_t i) {
  const ir::Scalar scalar = ir::read_element(type, &bytes[i * static_cast<std::size_t>(type.bytes())]);
  return type.is_float() ? scalar.f : static_cast<double>(scalar.i);
}

/// Elements that an argument takes in memory, from its first to its last.
inline std::size_t elements_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.buffer()->elements()); }

/// Inputs that are uniform in [-1, 1] and rounded to the type; for integers, any values of 8 bits.
inline HostTensors inputs(const Workload& w, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Definition definition = w.op->define(w);
  HostTensors tensors;
  for (std::size_t i = 0; i < static_cast<std::size_t>(definition.inputs); ++i) {
    const ir::Type type = definition.args[i].dtype();
    const double middle = type == kUInt8 ? 128 : 0, reach = type.is_int() ? 128 : 1;
    std::vector<double>& tensor = tensors.emplace_back(elements_of(definition.args[i]));
    for (double& value : tensor) value = rounded_to(type, middle + reach * uniform(random));
  }
  return tensors;
}

}  // namespace nestwright::testing_matmul
