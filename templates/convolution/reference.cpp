#include <algorithm>
#include <cmath>

#include "support/error.h"
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

void check_sizes(const Convolution& c, const Workload& workload, const HostTensors& inputs) {
  std::vector<std::size_t> sizes{size(c.images * c.channels * c.rows.input * c.columns.input),
                                 size(c.filters * c.terms())};
  if (c.bias) sizes.push_back(size(c.filters));
  const bool same = std::equal(inputs.begin(), inputs.end(), sizes.begin(), sizes.end(),
                               [](const auto& tensor, std::size_t elements) { return tensor.size() == elements; });
  if (!same) throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
}

}  // namespace

Reference convolution_reference(const Convolution& c, const Workload& workload, const HostTensors& inputs) {
  check_sizes(c, workload, inputs);
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
