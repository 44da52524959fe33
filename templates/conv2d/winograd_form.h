// The tensors with which the Winograd template computes a convolution with 3 x 3 filters, in tiles of m x m results.
// With a = m + 2, and t the index of a tile, counted over all images,
//   image[n, h, w, c]           X with zeros around it, channels innermost
//   inputs[i, j, t, c]          a x a, of a tile's part of the image         (input_rows: after its columns)
//   weights[i, j, c, k]         a x a, of a filter                           (weight_rows: after its columns)
//   products[i, j, t, k]        sum over c of inputs * weights
//   results[n, p, q, k]         of a tile's products                         (result_rows: after their columns)
// and Y is `results`, or its copy with the filters outside.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "templates/convolution/convolution.h"

namespace nestwright {

/// Why Winograd's algorithm cannot compute the convolution, as one clause; empty if it can.
std::string winograd_unsupported_reason(const Convolution& convolution);

/// The bits by which intermediate sums of F(4x4) are larger than direct ones.
inline constexpr int kWinogradBits = 10;

/// The numbers of tiles: of an image along its axes, and of all images.
struct WinogradCounts {
  std::int64_t rows, columns, all;
};
WinogradCounts winograd_counts(const Convolution& convolution, std::int64_t tile);

struct WinogradForm {
  WinogradCounts counts{};
  Tensor padded;  ///< in X's layout; undefined where channels are last
  Tensor image, input_rows, inputs, weight_rows, weights, products, result_rows, results, y;
};

/// Computes Y from the element of the sums for an image, a filter, a row and a column. Y has these four dimensions.
using WinogradFinish = std::function<Tensor(const std::function<Expr(std::span<const Expr>)>& sums)>;

/// `tile`: m, 2 or 4. `finish`: what follows the sums of images in NCHW, in place of the convolution's own epilogue.
/// The sums are stored before it, so that no instruction fuses their division by the scale with an addition.
WinogradForm make_winograd_form(const Convolution& convolution, std::int64_t tile, const Definition& definition,
                                const WinogradFinish& finish = {});

}  // namespace nestwright
