// Inputs and targets that the tests of matmul use.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "templates/template.h"

namespace nestwright::testing_matmul {

inline Workload workload(std::int64_t m, std::int64_t n, std::int64_t k, int transposed = 0,
                         const std::string& type = "float32") {
  return parse_workload("matmul m=" + std::to_string(m) + " n=" + std::to_string(n) + " k=" + std::to_string(k) +
                        " ta=" + std::to_string(transposed & 1) + " tb=" + std::to_string(transposed >> 1) +
                        " dtype=" + type);
}

inline Target target(CpuIsa isa, int threads = 1) {
  Target result;
  result.isa = isa;
  result.vector_bits = isa == CpuIsa::kAvx512 ? 512 : isa == CpuIsa::kAvx2 ? 256 : 128;
  result.vector_registers = isa == CpuIsa::kAvx512 ? 32 : 16;
  result.threads = threads;
  return result;
}

inline std::vector<Target> targets() {
  return {target(CpuIsa::kAvx512), target(CpuIsa::kAvx512, 2), target(CpuIsa::kAvx2, 2), target(CpuIsa::kX86_64)};
}

/// Uniform in [-1, 1], rounded to the type.
inline HostTensors inputs(const Workload& w, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostTensors tensors(2);
  tensors[0].resize(static_cast<std::size_t>(w.size("m") * w.size("k")));
  tensors[1].resize(static_cast<std::size_t>(w.size("k") * w.size("n")));
  for (auto& tensor : tensors) {
    for (double& value : tensor) {
      value = uniform(random);
      if (w.type("dtype") == kFloat32) value = static_cast<float>(value);
    }
  }
  return tensors;
}

}  // namespace nestwright::testing_matmul
