// Shared parts of conv2d and depthwise_conv2d: the window that moves over a zero-padded image, the layouts of tensors,
// and the epilogue (bias and relu). With R x S filters, strides u, v and dilations d, e,
//   Y[n, k, p, q] = sum over c, r, s of X[n, c, p*u + r*d - top, q*v + s*e - left] * W[k, c, r, s]
// where elements outside of X are 0, and c runs over the channels of k's group.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/template.h"
#include "templates/checking/integers.h"
#include "templates/matmul/shape.h"

namespace nestwright {

/// One of the two directions in which a window moves.
struct WindowAxis {
  std::int64_t input = 1;  ///< extent of the image
  std::int64_t filter = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  ///< zero padding on either side
  std::int64_t padded() const { return before + input + after; }
  std::int64_t reach() const { return (filter - 1) * dilation + 1; }
  std::int64_t output() const { return (padded() - reach()) / stride + 1; }
};

/// The parameters of a workload.
struct Convolution {
  std::int64_t images = 1, channels = 1, filters = 1;
  /// Groups of consecutive channels and filters: the filters of a group read only its channels. A depthwise convolution
  /// has as many groups as channels.
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

/// The parameters n, c, h, w; then `between`; then r, s, strides, padding, dilations, types, layout and epilogue.
std::vector<OperatorParameter> convolution_parameters(std::vector<OperatorParameter> between);

/// The indices image, channel, row and column in the order of the layout.
std::vector<Expr> in_layout(const Convolution& convolution, const Expr& image, const Expr& channel, const Expr& row,
                            const Expr& column);
/// The indices of X or Y by meaning; from_layout() is the inverse of in_layout().
struct ImageIndex {
  Expr image, channel, row, column;
};
ImageIndex from_layout(const Convolution& convolution, std::span<const Expr> indices);

std::vector<Expr> output_shape(const Convolution& convolution);

/// An element of zero-padded X. `at` has the row and column in the padded image, below `rows` and `columns`; elements
/// past the padding are 0, too. If `also` is defined, the element is 0 unless `also` holds.
Expr padded_element(const Convolution& convolution, const Tensor& x, const ImageIndex& at, std::int64_t rows,
                    std::int64_t columns, const Expr& also = {});

/// The row or column of the padded image that tap `tap` of the filter reads for output `output`.
Expr window_index(const WindowAxis& axis, const Expr& output, const Expr& tap);

/// The epilogue: an element of Y from its sum, with bias and activation. `inputs` are the operator's. `sum` is `scale`
/// times as large. It is divided last, so that no instruction fuses the division with the addition of the bias: a
/// multiple of the scale times the rounded inverse is exact only where that product is rounded.
Expr finished(const Convolution& convolution, const Expr& sum, const Expr& filter, std::span<const Tensor> inputs,
              double scale = 1);

/// Returns the element of W for a filter and the reduction axes: the channel of the group (the constant 0 if the group
/// has one channel), row and column of the filter.
using WeightAt =
    std::function<Expr(const Tensor& w, const Expr& filter, const Expr& channel, const Expr& row, const Expr& column)>;
Definition define_convolution(const Convolution& convolution, const std::vector<std::int64_t>& weight_shape,
                              const WeightAt& weight);

/// The operator's reference: matrix products of filters and image patches in double. The bound is that of a sum
/// (templates/checking/rounding.h); a bias adds eps |sum| and eps |bias|. W is read as [k, c, r, s], or as [r, s, c, k]
/// where channels are last, with the channels of one group.
Reference convolution_reference(const Convolution& convolution, const Workload& workload, const HostTensors& inputs);

/// The same for the elements at these places.
ElementReference convolution_reference_at(const Convolution& convolution, const Workload& workload,
                                          const InputValues& inputs, std::span<const std::int64_t> places);

/// Integer inputs on which the convolution is exact, even if intermediate sums need `more_bits` more bits than
/// direct ones; none for integer types, which are exact anyway.
InputSources convolution_integer_sources(const Convolution& convolution, const Workload& workload, int more_bits,
                                         Signs signs);
/// `uniform` with scales for images, filters and the channels of a group; none for integer types.
InputSources convolution_wide_sources(const Convolution& convolution, const Workload& workload,
                                      const InputSources& uniform);
CheckedInputs convolution_wide_inputs(const Convolution& convolution, const Workload& workload,
                                      const CheckedInputs& uniform);

/// Lines along the filters of a group; none for a few filters. Freivalds' check: the sum over all filters, each times a
/// weight, is the convolution with that sum of the filters.
std::optional<ir::ElementLines> convolution_lines(const Convolution& convolution);
LineReference convolution_line_sums(const Convolution& convolution, const InputValues& inputs,
                                    const LineWeights& weights, bool is_linear);

/// How a convolution is checked whose images are large. `shape` reads the workload; `more_bits` is that of
/// convolution_integer_sources().
LargeChecks convolution_checks(const std::function<Convolution(const Workload&)>& shape,
                               const std::function<int(const Workload&)>& more_bits);

}  // namespace nestwright
