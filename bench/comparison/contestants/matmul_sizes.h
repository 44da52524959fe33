// The parameters of a row-major matrix product for a BLAS.
// Thread rule: values.
#pragma once

#include <optional>
#include <string>

#include "bench/comparison/timing/operation.h"
#include "templates/matmul/shape.h"

namespace nestwright::bench {

struct MatmulSizes {
  int m = 0, n = 0, k = 0, batch = 1;
  bool ta = false, tb = false;
  int lda = 0, ldb = 0, ldc = 0;
  std::ptrdiff_t sa = 0, sb = 0, sc = 0;  ///< strides between the matrices of a batch
  float alpha = 1;
  Epilogue epilogue;
};

/// The parameters, for any type. nullopt where the workload is not a product, or rounds to tf32 as no CPU library does.
inline std::optional<MatmulSizes> matmul_sizes(const Workload& w) {
  if (w.op->name != "matmul") return std::nullopt;
  const MatmulShape s = matmul_shape(w);
  if (s.in_tf32) return std::nullopt;
  const auto whole = [](std::int64_t size) { return static_cast<int>(size); };
  return MatmulSizes{whole(s.m),
                     whole(s.n),
                     whole(s.k),
                     whole(s.batch),
                     s.ta,
                     s.tb,
                     whole(s.a.leading),
                     whole(s.b.leading),
                     whole(s.c.leading),
                     s.a.step,
                     s.b.step,
                     s.c.step,
                     static_cast<float>(s.epilogue.alpha),
                     s.epilogue};
}

/// nullopt where the workload is not a product of float32.
inline std::optional<MatmulSizes> float32_matmul(const Workload& w) {
  if (w.op->name != "matmul" || w.type("dtype") != kFloat32) return std::nullopt;
  return matmul_sizes(w);
}

/// Why a BLAS cannot do it in one comparable call; empty where it can.
inline std::string beyond_blas(const MatmulSizes& s) {
  if (s.epilogue.beta != 0) return "accumulates in place only: it has no product that reads C_in apart from C";
  const bool more = s.epilogue.bias || s.epilogue.residual || s.epilogue.activation != Epilogue::Activation::kNone;
  return more ? "has no epilogues" : "";
}

/// The tensors of a float32 product; of a batch, those of its first product.
struct MatmulOperands {
  const float* a;
  const float* b;
  float* c;
};
inline MatmulOperands matmul_operands(const Operands& operands) {
  return {static_cast<const float*>(operands.inputs[0]), static_cast<const float*>(operands.inputs[1]),
          static_cast<float*>(operands.outputs[0])};
}
/// The tensors of product `number` of the batch.
inline MatmulOperands matmul_operands(const MatmulSizes& s, const MatmulOperands& first, int number) {
  return {first.a + number * s.sa, first.b + number * s.sb, first.c + number * s.sc};
}

/// Calls `multiply` for each product, for libraries without batched products.
template <class Multiply>
void for_each_product(const MatmulSizes& s, const MatmulOperands& first, const Multiply& multiply) {
  for (int number = 0; number < s.batch; ++number) multiply(matmul_operands(s, first, number));
}

}  // namespace nestwright::bench
