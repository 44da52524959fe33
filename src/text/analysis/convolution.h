// Recognises a statement that is a convolution of images with filters, channels before rows and columns.
//
//   T[n, k, p, q] = sum(c, r, s, X[n, c, p + r - 1, 2*q + s - 1]?0*W[k, c, r, s])
//   T[k, p, q] = sum(r, s, W[k, 0, r, s]*X[0, p + r, q + s])                     one image of one channel
//
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "text/syntax/program.h"

namespace nestwright::text {

/// A direction in which the window moves: rows or columns.
struct ConvolutionWindow {
  std::int64_t input = 1, output = 1, filter = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  ///< zeros that the windows reach over, on either side of the image
};

struct ConvolutionStage {
  std::size_t x = 0, w = 0;  ///< indices into Program::tensors
  bool has_images = false;   ///< the first dimension of X and of the result runs over images
  std::int64_t images = 1, channels = 1, filters = 1;
  ConvolutionWindow rows, columns;
};

/// Elements are multiplied as they are stored. Every filter reads all channels.
std::optional<ConvolutionStage> find_convolution(const Program& program, const Stage& stage);

}  // namespace nestwright::text
