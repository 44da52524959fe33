// What convolutions over images have in common, whether a filter reads all channels (conv2d) or one of them
// (depthwise_conv2d): a window that moves over an image with zeros around it, the layouts of tensors, what is added and
// applied before a result is stored. With R x S filters, strides u, v and dilations d, e,
//   Y[n, k, p, q] = sum over c, r, s of X[n, c, p*u + r*d - top, q*v + s*e - left] * W[k, c, r, s]
// where what lies outside of X counts as 0, and c runs over the channels of k's group.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "templates/framework/template.h"
#include "templates/matmul/shape.h"

namespace nestwright {

/// One of the two directions in which a window moves.
struct WindowAxis {
  std::int64_t input = 1;  ///< of the image
  std::int64_t filter = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  ///< zeros around the image
  std::int64_t padded() const { return before + input + after; }
  std::int64_t reach() const { return (filter - 1) * dilation + 1; }
  std::int64_t output() const { return (padded() - reach()) / stride + 1; }
};

/// The numbers of a workload.
struct Convolution {
  std::int64_t images = 1, channels = 1, filters = 1;
  /// Of channels and of filters, one after the other: filters of a group read its channels only. As many as there are
  /// channels where the convolution is depthwise.
  std::int64_t groups = 1;
  WindowAxis rows, columns;
  bool channels_last = false;  ///< NHWC
  MatmulTypes types;           ///< of X, W and Y
  bool bias = false, relu = false;
  bool prepares_weights = false;  ///< W is the same in every call

  std::int64_t group_channels() const { return channels / groups; }
  std::int64_t group_filters() const { return filters / groups; }
  /// Terms of one result, zeros of the padding included.
  std::int64_t terms() const { return group_channels() * rows.filter * columns.filter; }
  bool is_padded() const { return rows.padded() > rows.input || columns.padded() > columns.input; }
};

/// Reads the parameters below; the caller adds filters and groups. Throws UsageError where the filter does not fit into
/// the padded image.
Convolution read_convolution(const Workload& workload);

/// n, c, h, w; what the caller has in between; r, s, strides, zeros, dilations; types, layout and epilogue.
std::vector<OperatorParameter> convolution_parameters(std::vector<OperatorParameter> between);

/// Image, channel, row and column in the order in which the layout has them.
std::vector<Expr> in_layout(const Convolution& convolution, const Expr& image, const Expr& channel, const Expr& row,
                            const Expr& column);
/// The inverse: of indices of X or Y.
struct ImageIndex {
  Expr image, channel, row, column;
};
ImageIndex from_layout(const Convolution& convolution, std::span<const Expr> indices);

std::vector<Expr> output_shape(const Convolution& convolution);

/// An element of X with zeros around its images, `at` with the row and column of the padded image, below `rows` and
/// `columns`; what lies past the padding is 0, too. `also`: a condition for it not to be 0, or undefined.
Expr padded_element(const Convolution& convolution, const Tensor& x, const ImageIndex& at, std::int64_t rows,
                    std::int64_t columns, const Expr& also = {});

/// Row or column of the padded image that output number `output` multiplies with number `tap` of the filter.
Expr window_index(const WindowAxis& axis, const Expr& output, const Expr& tap);

/// An element of Y: what bias and activation make of a sum. `inputs` are the operator's.
Expr finished(const Convolution& convolution, const Expr& sum, const Expr& filter, std::span<const Tensor> inputs);

/// Everything but the weights is as above: `weight` gives the element of W for a filter and the axes that are summed
/// over: channels of the group (0 where there is one, which then is no axis), rows and columns of the filter.
using WeightAt =
    std::function<Expr(const Tensor& w, const Expr& filter, const Expr& channel, const Expr& row, const Expr& column)>;
Definition define_convolution(const Convolution& convolution, const std::vector<std::int64_t>& weight_shape,
                              const WeightAt& weight);

/// The operator's judge: matrix products of filters and patches of images in double. A sum of so many terms is off by
/// what templates/checking/rounding.h says of it, bias and its addition by another eps |sum| and eps |bias|. W is read
/// as [k, c, r, s], or as [r, s, c, k] where channels are last, of the channels of one group.
Reference convolution_reference(const Convolution& convolution, const Workload& workload, const HostTensors& inputs);

/// Whole numbers on which the convolution is exact, even if sums on the way have `more_bits` more than those of the
/// terms; none for whole types, which are exact anyway.
HostTensors convolution_whole_inputs(const Convolution& convolution, const Workload& workload, int more_bits = 0);
/// `uniform` with scales for images, filters and the channels of a group; none for whole types.
CheckedInputs convolution_wide_inputs(const Convolution& convolution, const Workload& workload,
                                      const CheckedInputs& uniform);

}  // namespace nestwright
