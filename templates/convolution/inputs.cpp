#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ir/core/fold.h"
#include "support/data/hash.h"
#include "templates/checking/integers.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/convolution/convolution.h"

namespace nestwright {
namespace {

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::size_t image_elements(const Convolution& c) {
  return size(c.images * c.channels * c.rows.input * c.columns.input);
}

/// The image and the channel of an element of images with `channels` channels of `pixels` elements.
struct ImageChannel {
  std::size_t image = 0, channel = 0;
};
ImageChannel image_channel(const Convolution& c, std::int64_t channels, std::int64_t pixels, std::size_t place) {
  const auto at = static_cast<std::int64_t>(place);
  return {size(at / (channels * pixels)), size(c.channels_last ? at % channels : at / pixels % channels)};
}

/// The filter and the channel, counted within its group, of an element of W.
struct FilterChannel {
  std::size_t filter = 0, channel = 0;
};
FilterChannel filter_channel(const Convolution& c, std::size_t place) {
  const auto at = static_cast<std::int64_t>(place);
  const std::int64_t window = c.rows.filter * c.columns.filter, channels = c.group_channels();
  return {size(c.channels_last ? at % c.filters : at / (channels * window)),
          size(c.channels_last ? at / c.filters % channels : at / window % channels)};
}

/// Scales of images, filters and the channels of a group, the same in every run of a workload.
struct Scales {
  std::vector<double> images, filters, channels;
};

Scales scales_of(const Convolution& c, const Workload& workload) {
  MixedMagnitudes magnitudes(c.types.a, workload);
  // One bias is added to all images, which then cannot have scales of their own.
  const ProductReach reach =
      product_reach(magnitudes, c.types.sum, static_cast<double>(c.terms()), c.images, c.filters, c.bias);
  Scales scales;
  scales.images = magnitudes.scales(size(c.images), reach.rows);
  scales.filters = magnitudes.scales(size(c.filters), reach.columns);
  scales.channels = magnitudes.scales(size(c.group_channels()), reach.term);
  return scales;
}

/// The values, each times the scale of its place and rounded to the type.
template <typename ScaleOf>
InputSource multiplied(const InputSource& values, ir::Type type, ScaleOf scale_of) {
  return {values.size(), [values, type, scale_of = std::move(scale_of)](std::size_t begin, std::span<double> chunk) {
            values.read_chunk(begin, chunk);
            for (std::size_t i = 0; i < chunk.size(); ++i) {
              chunk[i] = ir::round_float(chunk[i] * scale_of(begin + i), type);
            }
          }};
}

}  // namespace

InputSources convolution_integer_sources(const Convolution& c, const Workload& workload, int more_bits, Signs signs) {
  if (!c.types.sum.is_float()) return {};
  // Leaves room for a bias of at most 8 beside the sum.
  const double largest = std::min(largest_exact(c.types.sum), largest_exact(c.types.c)) - 8;
  const std::uint64_t seed = stable_hash(workload.str());
  SmallIntegers factors(static_cast<double>(c.terms()), 2, std::ldexp(largest, -more_bits), seed, signs),
      others(1, 1, 16, seed + 1, signs);
  InputSources inputs;
  inputs.push_back(factors.draw(image_elements(c)));
  inputs.push_back(factors.draw(size(c.filters * c.terms())));
  if (c.bias) inputs.push_back(others.draw(size(c.filters)));
  return inputs;
}

InputSources convolution_wide_sources(const Convolution& c, const Workload& workload, const InputSources& uniform) {
  if (!c.types.sum.is_float()) return {};
  const auto scales = std::make_shared<const Scales>(scales_of(c, workload));
  InputSources wide;
  wide.push_back(multiplied(uniform[0], c.types.a, [c, scales](std::size_t at) {
    const ImageChannel x = image_channel(c, c.channels, c.rows.input * c.columns.input, at);
    return scales->images[x.image] * scales->channels[x.channel % scales->channels.size()];
  }));
  wide.push_back(multiplied(uniform[1], c.types.b, [c, scales](std::size_t at) {
    const FilterChannel w = filter_channel(c, at);
    return scales->filters[w.filter] / scales->channels[w.channel];
  }));
  if (c.bias) wide.push_back(multiplied(uniform[2], c.types.c, [scales](std::size_t k) { return scales->filters[k]; }));
  return wide;
}

CheckedInputs convolution_wide_inputs(const Convolution& c, const Workload& workload, const CheckedInputs& uniform) {
  if (!c.types.sum.is_float()) return {};
  CheckedInputs wide{values_of(convolution_wide_sources(c, workload, sources_of(uniform.inputs))), {}};
  // The bounds of float16 do not scale with the results: its least normal number is near.
  if (c.types.sum == kFloat16) return wide;
  wide.reference = uniform.reference;
  const Scales scales = scales_of(c, workload);
  std::vector<double>&y = wide.reference.expected[0], &bound = wide.reference.bound[0];
  for (std::size_t at = 0; at < y.size(); ++at) {
    const ImageChannel result = image_channel(c, c.filters, c.rows.output() * c.columns.output(), at);
    const double scale = scales.images[result.image] * scales.filters[result.channel];
    y[at] *= scale;
    bound[at] *= scale;
  }
  return wide;
}

}  // namespace nestwright
