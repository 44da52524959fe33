// Recognises a program that is a matrix product, whatever its names: one sum of products of two tensors.
//
//   C[i, j] = sum(k, A[i, k] * B[k, j])          m=i n=j k=k
//   Y[b, s, o] = sum(c, W[o, c] * X[b, s, c])    A is X, B is W: m=b*s n=o k=c tb
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

std::optional<Product> find_product(const Program& program);

/// A stage that is a product, and the axes of the stage that make up each of its dimensions, those of extent 1 aside.
struct ProductStage {
  Product product;
  std::vector<std::string> batch, rows, columns;
  /// Whether the factor has a matrix of its own for each of the batch; if not, one serves all.
  bool a_has_batch = false, b_has_batch = false;
  /// Whether find_product() recognises it: then A, B and C have the batch, and axes of extent 1 count.
  bool is_plain = false;
};

/// The product that the stage is. Beside what find_product() recognises, axes and dimensions of extent 1 are ignored,
/// indices such as 64*h + d stand for h, d where they run over all of a dimension, and a factor may lack the batch:
///
///   Y[n, o, y, x] = sum(c, r, s, X[n, c, y + r, x + s]*W[o, c, r, s])  r=1 s=1    A is W, without the batch n
///   T[n, g, o, x] = sum(c, X[n, 64*g + c, x]*W[32*g + o, c])           n=1        batch g, A is W
std::optional<ProductStage> find_product_stage(const Program& program, const Stage& stage);

}  // namespace nestwright::text
