// Recognises a program that is a matrix product, whatever its names: one sum of products of two tensors.
//
//   C[i, j] = sum(k, A[i, k] * B[k, j])          m=i n=j k=k
//   Y[b, s, o] = sum(c, W[o, c] * X[b, s, c])    A is X, B is W: m=b*s n=o k=c tb
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "text/syntax/program.h"

namespace nestwright::text {

/// C = op(A) op(B) for each of `batch` matrices that lie one after the other. All tensors are compact and row-major;
/// several adjacent indices may make up one dimension. A is [m, k] ([k, m] where `ta`), B is [k, n] ([n, k] where
/// `tb`), C is [m, n].
struct Product {
  std::size_t a = 0, b = 0, c = 0;  ///< indices into Program::tensors
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool has_batch = false;  ///< some indices occur in both factors and in the result
  bool ta = false, tb = false;
  ir::Type sum;  ///< what the factors are converted to; the type of C
};

/// The product that a stage is.
std::optional<Product> find_product(const Program& program, const Stage& stage);
/// The product that a program of one statement is.
std::optional<Product> find_product(const Program& program);

}  // namespace nestwright::text
