// A matrix product in the terms of a BLAS, row-major.
// Thread rule: values.
#pragma once

#include <optional>

#include "bench/comparison/operation.h"

namespace nestwright::bench {

struct MatmulSizes {
  int m = 0, n = 0, k = 0;
  bool ta = false, tb = false;
  int lda() const { return ta ? m : k; }
  int ldb() const { return tb ? k : n; }
  int ldc() const { return n; }
};

/// Of any type; nothing where the workload is something else.
inline std::optional<MatmulSizes> matmul_sizes(const Workload& w) {
  if (w.op != "matmul") return std::nullopt;
  const auto size = [&](const char* name) { return static_cast<int>(w.size(name)); };
  return MatmulSizes{size("m"), size("n"), size("k"), w.flag("ta"), w.flag("tb")};
}

/// Nothing where the workload is something else, or of another type.
inline std::optional<MatmulSizes> float32_matmul(const Workload& w) {
  if (w.op != "matmul" || w.type("dtype") != kFloat32) return std::nullopt;
  return matmul_sizes(w);
}

/// The three tensors of a product of float32.
struct MatmulOperands {
  const float* a;
  const float* b;
  float* c;
};
inline MatmulOperands matmul_operands(const Operands& operands) {
  return {static_cast<const float*>(operands.inputs[0]), static_cast<const float*>(operands.inputs[1]),
          static_cast<float*>(operands.outputs[0])};
}

}  // namespace nestwright::bench
