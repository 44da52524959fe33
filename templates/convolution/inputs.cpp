#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "ir/core/fold.h"
#include "support/hash.h"
#include "templates/checking/whole_numbers.h"
#include "templates/checking/wide_magnitudes.h"
#include "templates/convolution/convolution.h"

namespace nestwright {
namespace {

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::size_t image_elements(const Convolution& c) {
  return size(c.images * c.channels * c.rows.input * c.columns.input);
}

/// Calls `f(at, image, channel)` for each element of a tensor of images with `channels` channels of `pixels` elements.
template <class F>
void for_each_element(const Convolution& c, std::int64_t channels, std::int64_t pixels, const F& f) {
  for (std::int64_t at = 0; at < c.images * channels * pixels; ++at) {
    const std::int64_t image = at / (channels * pixels);
    f(size(at), size(image), size(c.channels_last ? at % channels : at / pixels % channels));
  }
}

/// Calls `f(at, filter, channel)` for each element of W; channels are counted within their group.
template <class F>
void for_each_weight(const Convolution& c, const F& f) {
  const std::int64_t window = c.rows.filter * c.columns.filter, channels = c.group_channels();
  for (std::int64_t at = 0; at < c.filters * c.terms(); ++at) {
    f(size(at), size(c.channels_last ? at % c.filters : at / (channels * window)),
      size(c.channels_last ? at / c.filters % channels : at / window % channels));
  }
}

}  // namespace

HostTensors convolution_whole_inputs(const Convolution& c, const Workload& workload, int more_bits) {
  if (!c.types.sum.is_float()) return {};
  // Leaves room for a bias of at most 8 beside the sum.
  const double largest = std::min(largest_exact(c.types.sum), largest_exact(c.types.c)) - 8;
  const std::uint64_t seed = stable_hash(workload.str());
  WholeNumbers factors(static_cast<double>(c.terms()), 2, std::ldexp(largest, -more_bits), seed),
      others(1, 1, 16, seed + 1);
  HostTensors inputs{factors.draw(image_elements(c)), factors.draw(size(c.filters * c.terms()))};
  if (c.bias) inputs.push_back(others.draw(size(c.filters)));
  return inputs;
}

CheckedInputs convolution_wide_inputs(const Convolution& c, const Workload& workload, const CheckedInputs& uniform) {
  if (!c.types.sum.is_float()) return {};
  WideMagnitudes magnitudes(c.types.a, workload);
  // One bias is added to all images, which then cannot have scales of their own.
  const ProductReach reach =
      product_reach(magnitudes, c.types.sum, static_cast<double>(c.terms()), c.images, c.filters, c.bias);
  const std::vector<double> images = magnitudes.scales(size(c.images), reach.rows),
                            filters = magnitudes.scales(size(c.filters), reach.columns),
                            channels = magnitudes.scales(size(c.group_channels()), reach.term);
  CheckedInputs wide{uniform.inputs, {}};
  std::vector<double>&x = wide.inputs[0], &w = wide.inputs[1];
  for_each_element(c, c.channels, c.rows.input * c.columns.input,
                   [&](std::size_t at, std::size_t image, std::size_t channel) {
                     x[at] = ir::round_float(x[at] * images[image] * channels[channel % channels.size()], c.types.a);
                   });
  for_each_weight(c, [&](std::size_t at, std::size_t filter, std::size_t channel) {
    w[at] = ir::round_float(w[at] * filters[filter] / channels[channel], c.types.b);
  });
  if (c.bias) {
    for (std::size_t k = 0; k < filters.size(); ++k) {
      wide.inputs[2][k] = ir::round_float(wide.inputs[2][k] * filters[k], c.types.c);
    }
  }
  // The bounds of float16 do not scale with the results: its least normal number is near.
  if (c.types.sum == kFloat16) return wide;
  wide.reference = uniform.reference;
  std::vector<double>&y = wide.reference.expected[0], &bound = wide.reference.bound[0];
  for_each_element(c, c.filters, c.rows.output() * c.columns.output(),
                   [&](std::size_t at, std::size_t image, std::size_t filter) {
                     y[at] *= images[image] * filters[filter];
                     bound[at] *= images[image] * filters[filter];
                   });
  return wide;
}

}  // namespace nestwright
