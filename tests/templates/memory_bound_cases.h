// Cases of memory-bound operators, workloads and inputs: odd sizes, of every kind that their templates
// distinguish.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "nestwright/template.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing_memory {

inline const std::vector<std::string>& workloads() {
  static const std::vector<std::string> list = {
      "softmax rows=1 columns=1",
      "softmax rows=3 columns=37",
      "softmax rows=5 columns=5",
      "softmax rows=17 columns=128",
      "softmax rows=1 columns=2100",
      "layer_norm rows=1 columns=1",
      "layer_norm rows=5 columns=48",
      "layer_norm rows=7 columns=101 epsilon=0.001",
      "layer_norm rows=67 columns=31 dtype=float64",
      "transpose rows=1 columns=1",
      "transpose rows=16 columns=32",
      "transpose rows=37 columns=53",
      "transpose rows=1 columns=67 dtype=float64",
      "transpose rows=19 columns=2 dtype=float64",
      "elementwise function=multiply shape=1",
      "elementwise function=add_relu shape=5x7x64",
      "elementwise function=gelu shape=1021",
      "elementwise function=multiply shape=2048",
      "elementwise function=add_gelu_tanh shape=2x1031",
      "broadcast function=add_gelu rows=9 columns=97",
      "broadcast function=multiply rows=61 columns=47 vector=column",
      "broadcast function=add rows=1 columns=1",
      "reduce function=sum shape=1 axes=0",
      "reduce function=sum shape=53x70 axes=0",
      "reduce function=mean shape=53x70 axes=1",
      "reduce function=sum shape=53x70 axes=0,1",
      "reduce function=mean shape=48x100 axes=0",
      "reduce function=sum shape=24x101 axes=1",
      "reduce function=max shape=4096 axes=0",
      "reduce function=max shape=5x6x7x33 axes=1,3",
      "reduce function=min shape=5x6x7x33 axes=0,2 dtype=float64",
      "reduce function=mean shape=2100x3 axes=0",
      "reduce function=sum shape=3x1x2x1 axes=1",
  };
  return list;
}

inline Target target(CpuIsa isa, int threads = 1) {
  Target result = cpu_target(isa, threads);
  result.l2_bytes = 4096;  // so that even small workloads are scheduled like large ones
  return result;
}

inline std::vector<Target> targets() {
  return {target(CpuIsa::kAvx512), target(CpuIsa::kAvx512, 2), target(CpuIsa::kAvx2, 2), target(CpuIsa::kX86_64, 2)};
}

/// Inputs that are uniform in [-1, 1] and rounded to the type.
inline HostTensors inputs(const Definition& definition, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostTensors tensors;
  for (int i = 0; i < definition.inputs; ++i) {
    const Tensor& tensor = definition.args[static_cast<std::size_t>(i)];
    std::size_t elements = 1;
    for (const Expr& extent : tensor.shape()) elements *= static_cast<std::size_t>(*ir::as_const_int(extent));
    std::vector<double>& values = tensors.emplace_back(elements);
    for (double& value : values) {
      value = uniform(random);
      if (tensor.dtype() == kFloat32) value = static_cast<float>(value);
    }
  }
  return tensors;
}

}  // namespace nestwright::testing_memory
