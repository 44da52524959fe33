#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "nestwright/error.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/exact_product.h"
#include "templates/checking/rounding.h"
#include "templates/convolution/convolution.h"

namespace nestwright {
namespace {

/// Elements (of 8 bytes) of the patches that are laid out at a time: all patches of a large image would fill the
/// memory.
constexpr std::size_t kPatchElements = std::size_t{1} << 22;

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Where an element of images of `channels` x `rows` x `columns` lies.
std::size_t element(const Convolution& c, std::int64_t channels, std::int64_t rows, std::int64_t columns,
                    std::int64_t image, std::int64_t channel, std::int64_t row, std::int64_t column) {
  return size(c.channels_last ? ((image * rows + row) * columns + column) * channels + channel
                              : ((image * channels + channel) * rows + row) * columns + column);
}

/// The two matrices whose product is the result of one group of one image.
class Group {
 public:
  Group(const Convolution& c, const HostTensors& inputs, std::int64_t image, std::int64_t number)
      : c_(c), inputs_(inputs), image_(image), number_(number) {}

  /// [filters, terms]
  std::vector<double> filters() const {
    std::vector<double> matrix;
    matrix.reserve(size(c_.group_filters() * c_.terms()));
    for (std::int64_t k = 0; k < c_.group_filters(); ++k) {
      for_each_term([&](std::int64_t channel, std::int64_t row, std::int64_t column) {
        const std::int64_t filter = number_ * c_.group_filters() + k;
        const std::int64_t at =
            c_.channels_last
                ? ((row * c_.columns.filter + column) * c_.group_channels() + channel) * c_.filters + filter
                : ((filter * c_.group_channels() + channel) * c_.rows.filter + row) * c_.columns.filter + column;
        matrix.push_back(inputs_[1][size(at)]);
      });
    }
    return matrix;
  }

  /// [terms, count], of outputs `first` .. `first` + `count` - 1 of the image, row by row.
  std::vector<double> patches(std::int64_t first, std::int64_t count) const {
    std::vector<double> matrix;
    matrix.reserve(size(c_.terms() * count));
    for_each_term([&](std::int64_t channel, std::int64_t row, std::int64_t column) {
      for (std::int64_t output = first; output < first + count; ++output) {
        const std::int64_t y = output / c_.columns.output() * c_.rows.stride + row * c_.rows.dilation - c_.rows.before;
        const std::int64_t x =
            output % c_.columns.output() * c_.columns.stride + column * c_.columns.dilation - c_.columns.before;
        const bool inside = y >= 0 && y < c_.rows.input && x >= 0 && x < c_.columns.input;
        const std::int64_t from = number_ * c_.group_channels() + channel;
        matrix.push_back(
            inside ? inputs_[0][element(c_, c_.channels, c_.rows.input, c_.columns.input, image_, from, y, x)] : 0);
      }
    });
    return matrix;
  }

 private:
  template <class F>
  void for_each_term(const F& f) const {
    for (std::int64_t channel = 0; channel < c_.group_channels(); ++channel) {
      for (std::int64_t row = 0; row < c_.rows.filter; ++row) {
        for (std::int64_t column = 0; column < c_.columns.filter; ++column) f(channel, row, column);
      }
    }
  }

  const Convolution& c_;
  const HostTensors& inputs_;
  std::int64_t image_, number_;
};

/// Applies the epilogue to a sum and bounds the error of the result.
class Finish {
 public:
  explicit Finish(const Convolution& c) : c_(c), error_(sum_error(static_cast<double>(c.terms()), c.types.sum)) {}

  void operator()(double sum, double sum_squares, double bias, double& value, double& bound) const {
    value = sum + bias;
    if (error_.wraps) {
      value = wrapped_int32(value);
    } else {
      bound = error_.of(sum_squares);
      if (c_.bias) bound += epsilon_of(c_.types.c) * (std::abs(sum) + std::abs(bias)) + error_.absolute;
    }
    if (c_.relu) value = std::max(value, 0.0);
  }

 private:
  const Convolution& c_;
  SumError error_;
};

/// The sums of some results' terms so far. Sums are Kahan's, as sums of many terms in float64 are held to bounds of
/// that type, too.
class Sums {
 public:
  explicit Sums(std::size_t n) : sum(n), squares(n), lost_(n) {}
  void add(std::size_t i, double product) {
    const double term = product - lost_[i], after = sum[i] + term;
    lost_[i] = (after - sum[i]) - term;
    sum[i] = after;
    squares[i] += product * product;
  }
  std::vector<double> sum, squares;

 private:
  std::vector<double> lost_;
};

/// Adds up results of one row of one image's filter: those in columns `columns`, which ascend.
void add_row(const Convolution& c, const InputValues& inputs, std::int64_t image, std::int64_t filter, std::int64_t row,
             std::span<const std::int64_t> columns, Sums& sums) {
  std::vector<double> weights(size(c.terms())), values(columns.size());
  inputs[1]->read(size(filter * c.terms()), 1, weights);
  const double* weight = weights.data();
  const bool is_contiguous = columns.back() - columns.front() + 1 == static_cast<std::int64_t>(columns.size());
  const std::int64_t first = filter / c.group_filters() * c.group_channels(), stride = c.columns.stride;
  for (std::int64_t channel = first; channel < first + c.group_channels(); ++channel) {
    for (std::int64_t r = 0; r < c.rows.filter; ++r) {
      const std::int64_t y = row * c.rows.stride + r * c.rows.dilation - c.rows.before;
      if (y < 0 || y >= c.rows.input) {
        weight += c.columns.filter;
        continue;
      }
      const std::int64_t line = ((image * c.channels + channel) * c.rows.input + y) * c.columns.input;
      for (std::int64_t s = 0; s < c.columns.filter; ++s, ++weight) {
        const std::int64_t shift = s * c.columns.dilation - c.columns.before;
        // Those that read inside of the image.
        std::size_t begin = 0, end = columns.size();
        while (begin < end && columns[begin] * stride + shift < 0) ++begin;
        while (end > begin && columns[end - 1] * stride + shift >= c.columns.input) --end;
        const std::span<double> some = std::span(values).subspan(begin, end - begin);
        if (some.empty()) continue;
        const auto place = [&](std::size_t i) { return size(line + columns[i] * stride + shift); };
        if (is_contiguous) inputs[0]->read(place(begin), size(stride), some);
        for (std::size_t i = begin; i < end; ++i) {
          sums.add(i, *weight * (is_contiguous ? values[i] : (*inputs[0])[place(i)]));
        }
      }
    }
  }
}

/// Adds up results of one pixel where channels are last: those of filters `filters`, which ascend.
void add_pixel(const Convolution& c, const InputValues& inputs, std::int64_t image, std::int64_t row,
               std::int64_t column, std::span<const std::int64_t> filters, Sums& sums) {
  const bool is_contiguous = filters.back() - filters.front() + 1 == static_cast<std::int64_t>(filters.size());
  const std::int64_t group_channels = c.group_channels();
  const auto first_channel = [&](std::int64_t filter) { return filter / c.group_filters() * group_channels; };
  const std::int64_t first = first_channel(filters.front()), last = first_channel(filters.back()) + group_channels;
  std::vector<double> x(size(last - first)), weights(filters.size());
  for (std::int64_t r = 0; r < c.rows.filter; ++r) {
    const std::int64_t y = row * c.rows.stride + r * c.rows.dilation - c.rows.before;
    for (std::int64_t s = 0; s < c.columns.filter; ++s) {
      const std::int64_t at = column * c.columns.stride + s * c.columns.dilation - c.columns.before;
      if (y < 0 || y >= c.rows.input || at < 0 || at >= c.columns.input) continue;
      inputs[0]->read(size(((image * c.rows.input + y) * c.columns.input + at) * c.channels + first), 1, x);
      for (std::int64_t channel = 0; channel < group_channels; ++channel) {
        const std::int64_t tap = ((r * c.columns.filter + s) * group_channels + channel) * c.filters;
        if (is_contiguous) inputs[1]->read(size(tap + filters.front()), 1, weights);
        for (std::size_t i = 0; i < filters.size(); ++i) {
          const double weight = is_contiguous ? weights[i] : (*inputs[1])[size(tap + filters[i])];
          sums.add(i, weight * x[size(first_channel(filters[i]) - first + channel)]);
        }
      }
    }
  }
}

}  // namespace

ElementReference convolution_reference_at(const Convolution& c, const Workload& workload, const InputValues& inputs,
                                          std::span<const std::int64_t> places) {
  if (inputs.size() != (c.bias ? 3 : 2)) throw UsageError("the inputs of " + workload.str() + " are of another number");
  const Finish finish(c);
  const std::int64_t height = c.rows.output(), width = c.columns.output();
  ElementReference reference = reference_of(places.size());
  // Results that are neighbours in memory: of one row, or where channels are last of one pixel.
  const std::int64_t length = c.channels_last ? c.filters : width;
  for_rows(places, length, [&](const RowPlaces& some) {
    std::vector<std::int64_t> within(some.end - some.begin);
    for (std::size_t i = 0; i < within.size(); ++i) within[i] = places[some.begin + i] - some.row * length;
    Sums sums(within.size());
    const std::int64_t filter = some.row / height % c.filters;
    if (c.channels_last) {
      add_pixel(c, inputs, some.row / (height * width), some.row / width % height, some.row % width, within, sums);
    } else {
      add_row(c, inputs, some.row / height / c.filters, filter, some.row % height, within, sums);
    }
    for (std::size_t i = 0; i < within.size(); ++i) {
      const double bias = c.bias ? (*inputs[2])[size(c.channels_last ? within[i] : filter)] : 0;
      finish(sums.sum[i], sums.squares[i], bias, reference.expected[some.begin + i], reference.bound[some.begin + i]);
    }
  });
  return reference;
}

Reference convolution_reference(const Convolution& c, const Workload& workload, const HostTensors& inputs) {
  std::vector<std::int64_t> sizes{c.images * c.channels * c.rows.input * c.columns.input, c.filters * c.terms()};
  if (c.bias) sizes.push_back(c.filters);
  check_sizes(workload, inputs, sizes);
  const Finish finish(c);
  const std::int64_t outputs = c.rows.output() * c.columns.output();
  const std::int64_t together =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(kPatchElements) / c.terms(), 1, outputs);
  const std::size_t results = size(c.images * c.filters * outputs);
  Reference reference = one_result(results);
  for (std::int64_t image = 0; image < c.images; ++image) {
    for (std::int64_t number = 0; number < c.groups; ++number) {
      const Group group(c, inputs, image, number);
      const std::vector<double> filters = group.filters();
      for (std::int64_t first = 0; first < outputs; first += together) {
        const std::int64_t count = std::min(together, outputs - first);
        const ExactProduct sums =
            exact_product(filters, group.patches(first, count), size(c.group_filters()), size(count), size(c.terms()));
        for (std::int64_t i = 0; i < c.group_filters() * count; ++i) {
          const std::int64_t filter = number * c.group_filters() + i / count, output = first + i % count;
          const std::size_t at = element(c, c.filters, c.rows.output(), c.columns.output(), image, filter,
                                         output / c.columns.output(), output % c.columns.output());
          finish(sums.sum[size(i)], sums.sum_squares[size(i)], c.bias ? inputs[2][size(filter)] : 0,
                 reference.expected[0][at], reference.bound[0][at]);
        }
      }
    }
  }
  return reference;
}

}  // namespace nestwright
