#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "templates/checking/element_rows.h"
#include "templates/checking/rounding.h"
#include "templates/convolution/convolution.h"

namespace nestwright {
namespace {

constexpr std::int64_t kFewFilters = 8;  ///< lines of fewer elements would take as much memory as these
constexpr std::int64_t kSegment = 1024;  ///< elements of a line

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// The filters of a line, each times its weight.
struct WeighedFilters {
  std::vector<double> sums;                         ///< [channels of the group, rows, columns]
  std::vector<double> largest_square;               ///< for each channel, an upper bound of the sums of the squares
  double bias = 0, bias_root = 0, weight_root = 0;  ///< of the biases the sum and the root of the sum of the squares
};

WeighedFilters weigh(const Convolution& c, const InputValues& inputs, std::int64_t first_filter, std::int64_t count,
                     std::span<const double> weights) {
  const std::int64_t window = c.rows.filter * c.columns.filter, terms = c.terms();
  WeighedFilters weighed{std::vector<double>(size(terms)), std::vector<double>(size(c.group_channels()))};
  std::vector<double> filter(size(terms)), squares(size(terms));
  double bias_squares = 0, weight_squares = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double weight = weights[size(k)];
    weight_squares += weight * weight;
    // [channel, row, column], or where channels are last [row, column, channel]
    const std::int64_t begin = c.channels_last ? first_filter + k : (first_filter + k) * terms;
    inputs[1]->read(size(begin), c.channels_last ? size(c.filters) : 1, filter);
    for (std::int64_t t = 0; t < terms; ++t) {
      const std::int64_t channels = c.group_channels();
      const double term = weight * filter[size(c.channels_last ? t % window * channels + t / window : t)];
      weighed.sums[size(t)] += term;
      squares[size(t)] += term * term;
    }
    if (!c.bias) continue;
    const double bias = weight * (*inputs[2])[size(first_filter + k)];
    weighed.bias += bias;
    bias_squares += bias * bias;
  }
  for (std::int64_t t = 0; t < terms; ++t) {
    double& largest = weighed.largest_square[size(t / window)];
    largest = std::max(largest, squares[size(t)]);
  }
  weighed.bias_root = std::sqrt(bias_squares);
  weighed.weight_root = std::sqrt(weight_squares);
  return weighed;
}

/// The rows of one image that one row of results reads, with the padding: [channel, row of the filter, column].
class Window {
 public:
  explicit Window(const Convolution& c)
      : c_(c), width_(c.columns.padded()), values_(size(c.channels * c.rows.filter * width_)) {}

  void read(const TensorValues& x, std::int64_t image, std::int64_t output_row) {
    std::vector<double> line(size(c_.columns.input * (c_.channels_last ? c_.channels : 1)));
    for (std::int64_t r = 0; r < c_.rows.filter; ++r) {
      const std::int64_t y = output_row * c_.rows.stride + r * c_.rows.dilation - c_.rows.before;
      const bool inside = y >= 0 && y < c_.rows.input;
      if (inside && c_.channels_last)
        x.read(size((image * c_.rows.input + y) * c_.columns.input * c_.channels), 1, line);
      for (std::int64_t channel = 0; channel < c_.channels; ++channel) {
        double* const row = &values_[size((channel * c_.rows.filter + r) * width_)];
        std::fill_n(row, width_, 0.0);
        if (!inside) continue;
        const std::span<double> columns(row + c_.columns.before, size(c_.columns.input));
        if (c_.channels_last) {
          for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = line[i * size(c_.channels) + size(channel)];
        } else {
          x.read(size(((image * c_.channels + channel) * c_.rows.input + y) * c_.columns.input), 1, columns);
        }
      }
    }
  }

  const double* row(std::int64_t channel, std::int64_t filter_row) const {
    return &values_[size((channel * c_.rows.filter + filter_row) * width_)];
  }

 private:
  const Convolution& c_;
  std::int64_t width_;
  std::vector<double> values_;
};

/// One row of the convolution of a group's channels with a line's filters.
void convolve(const Convolution& c, const Window& x, std::int64_t group, const WeighedFilters& filters,
              std::span<double> sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  const double* weight = filters.sums.data();
  double* __restrict const sum = sums.data();
  for (std::int64_t channel = 0; channel < c.group_channels(); ++channel) {
    for (std::int64_t r = 0; r < c.rows.filter; ++r) {
      const double* row = x.row(group * c.group_channels() + channel, r);
      for (std::int64_t s = 0; s < c.columns.filter; ++s, row += c.columns.dilation) {
        const double w = *weight++;
        if (c.columns.stride == 1) {
          for (std::size_t q = 0; q < sums.size(); ++q) sum[q] += w * row[q];
        } else {
          for (std::size_t q = 0; q < sums.size(); ++q) sum[q] += w * row[q * size(c.columns.stride)];
        }
      }
    }
  }
}

/// Upper bounds of the sums of the squares of all terms of these results.
void bound_squares(const Convolution& c, const Window& x, std::int64_t group, const WeighedFilters& filters,
                   std::span<double> squares) {
  std::vector<double> columns(size(c.columns.padded()));
  for (std::int64_t channel = 0; channel < c.group_channels(); ++channel) {
    const double largest = filters.largest_square[size(channel)];
    for (std::int64_t r = 0; r < c.rows.filter; ++r) {
      const double* const row = x.row(group * c.group_channels() + channel, r);
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i] += largest * row[i] * row[i];
    }
  }
  for (std::size_t q = 0; q < squares.size(); ++q) {
    squares[q] = 0;
    for (std::int64_t s = 0; s < c.columns.filter; ++s) {
      squares[q] += columns[q * size(c.columns.stride) + size(s * c.columns.dilation)];
    }
  }
}

}  // namespace

std::optional<ir::ElementLines> convolution_lines(const Convolution& c) {
  if (c.group_filters() < kFewFilters) return std::nullopt;
  const std::int64_t pixels = c.rows.output() * c.columns.output();
  const std::int64_t segment = std::min(c.group_filters(), kSegment);
  if (c.channels_last) {
    return ir::ElementLines{.batch = c.images * pixels,
                            .batch_step = c.filters,
                            .outer = c.groups,
                            .outer_step = c.group_filters(),
                            .length = c.group_filters(),
                            .segment = segment};
  }
  return ir::ElementLines{.batch = c.images,
                          .batch_step = c.filters * pixels,
                          .outer = c.groups,
                          .outer_step = c.group_filters() * pixels,
                          .length = c.group_filters(),
                          .step = pixels,
                          .inner = pixels,
                          .segment = segment};
}

LineReference convolution_line_sums(const Convolution& c, const InputValues& inputs, const LineWeights& weights,
                                    bool is_linear) {
  if (c.relu && !is_linear) return {};
  const ir::ElementLines lines = *convolution_lines(c);
  const std::int64_t vectors = static_cast<std::int64_t>(weights.size()), segments = lines.segments();
  std::vector<WeighedFilters> filters(size(c.groups * segments * vectors));  // [group, segment, vector of weights]
  tbb::parallel_for(std::size_t{0}, filters.size(), [&](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t group = at / (segments * vectors), first = at / vectors % segments * lines.segment;
    filters[i] = weigh(c, inputs, group * c.group_filters() + first, std::min(lines.segment, lines.length - first),
                       weights[size(at % vectors)]);
  });

  LineReference reference{std::vector(weights.size(), std::vector<double>(size(lines.lines()))), {}};
  reference.bounds = reference.sums;
  const SumError error = sum_error(static_cast<double>(c.terms()), c.types.sum);
  const std::int64_t height = c.rows.output(), width = c.columns.output();
  tbb::parallel_for(std::int64_t{0}, c.images * height, [&](std::int64_t row) {
    const std::int64_t image = row / height, y = row % height;
    Window x(c);
    x.read(*inputs[0], image, y);
    std::vector<double> sums(size(width)), squares(size(width));
    for (std::size_t f = 0; f < filters.size(); ++f) {
      const std::int64_t group_segment = static_cast<std::int64_t>(f) / vectors, group = group_segment / segments;
      const WeighedFilters& line_filters = filters[f];
      convolve(c, x, group, line_filters, sums);
      if (!error.wraps) bound_squares(c, x, group, line_filters, squares);
      for (std::int64_t q = 0; q < width; ++q) {
        const std::int64_t pixel = y * width + q, pixels = height * width;
        const std::int64_t line = c.channels_last ? (image * pixels + pixel) * c.groups * segments + group_segment
                                                  : (image * c.groups * segments + group_segment) * pixels + pixel;
        const std::size_t v = f % weights.size();
        reference.sums[v][size(line)] = sums[size(q)] + line_filters.bias;
        if (error.wraps) continue;
        // The squares of sums of k terms are at most k times the sums of their squares.
        const double root = std::sqrt(squares[size(q)]), largest = root * std::sqrt(static_cast<double>(c.terms()));
        double of_line = error.relative * root + error.absolute * line_filters.weight_root;
        if (c.bias) {
          of_line +=
              epsilon_of(c.types.c) * (largest + line_filters.bias_root) + error.absolute * line_filters.weight_root;
        }
        const double length = std::sqrt(static_cast<double>(lines.segment));
        reference.bounds[v][size(line)] = line_bound(of_line * of_line, length * (largest + line_filters.bias_root));
      }
    }
  });
  return reference;
}

LargeChecks convolution_checks(const std::function<Convolution(const Workload&)>& shape,
                               const std::function<int(const Workload&)>& more_bits) {
  return {.reference_at =
              [shape](const Workload& workload, const InputValues& inputs, std::span<const std::int64_t> places) {
                return convolution_reference_at(shape(workload), workload, inputs, places);
              },
          .integer_inputs =
              [shape, more_bits](const Workload& workload) {
                const Convolution c = shape(workload);
                return convolution_integer_sources(c, workload, more_bits(workload),
                                                   c.relu ? Signs::kPositive : Signs::kMixed);
              },
          .wide_inputs =
              [shape](const Workload& workload, const InputSources& uniform) {
                return convolution_wide_sources(shape(workload), workload, uniform);
              },
          .lines = [shape](const Workload& workload) { return convolution_lines(shape(workload)); },
          .line_sums =
              [shape](const Workload& workload, const InputValues& inputs, const LineWeights& weights, bool is_linear) {
                return convolution_line_sums(shape(workload), inputs, weights, is_linear);
              },
          .modulus = [shape](const Workload& workload) { return shape(workload).types.sum.is_int() ? 0x1p32 : 0; }};
}

}  // namespace nestwright
