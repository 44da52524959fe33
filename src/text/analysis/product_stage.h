// Recognises a statement that is a product of matrices in memory of more general shapes than text/analysis/product.h
// does: axes and dimensions of extent 1 are ignored, indices such as 64*h + d stand for h, d where they run over all of
// a dimension, a factor may lack the batch or some of its axes, and its matrices may lie apart.
//
//   Y[n, o, y, x] = sum(c, r, s, X[n, c, y + r, x + s]*W[o, c, r, s])  r=1 s=1    A is W, which has no batch n; B is X
//   T[n, g, o, x] = sum(c, X[n, 64*g + c, x]*W[32*g + o, c])           n=1        batch g, A is W
//   S[h, i, j] = sum(d, Q[i, h, d]*K[j, h, d])                                    batch h: rows of Q lie H*D apart
//
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/analysis/product.h"

namespace nestwright::text {

enum class ProductDimension : std::uint8_t { kBatch, kRows, kColumns, kSummed };

/// A dimension of a factor's memory: (index / step) % extent of a dimension of the product.
struct FactorDimension {
  ProductDimension of;
  std::int64_t extent = 1, step = 1;
  friend bool operator==(const FactorDimension&, const FactorDimension&) = default;
};

/// How a factor lies in memory, the outermost dimension first. Only the batch is in several parts, and it is not the
/// innermost dimension.
struct FactorLayout {
  std::vector<FactorDimension> dimensions;
  /// Whether these are, in this order, the batch as a whole or none of it, and a matrix or its transposition.
  bool is_compact = true;
  bool has_batch = false;  ///< or a part of it
};

struct ProductStage {
  /// `ta`, `tb`: the rows of A, or the summed dimension of B, are innermost.
  Product product;
  /// The axes of the stage that make up the dimensions of C, those of extent 1 aside.
  std::vector<std::string> batch, rows, columns;
  FactorLayout a, b;
  /// Whether find_product() recognises it: then axes of extent 1 count.
  bool is_plain = false;
};

std::optional<ProductStage> find_product_stage(const Program& program, const Stage& stage);

}  // namespace nestwright::text
