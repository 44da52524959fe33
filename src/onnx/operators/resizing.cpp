// Operators that resize images, and those that move blocks of pixels to channels and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnx/operators/indices.h"
#include "onnx/operators/interpolation.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// The expression of a resized tensor. A dimension that is interpolated has a statement of its own, which sums up
/// weighted taps; what reads single elements is part of the first.
class ResizeText {
 public:
  explicit ResizeText(OperatorCall& call)
      : call_(call), wide_(call.type(0).type == kFloat64 ? kFloat64 : kFloat32), result_(call.shape(0)) {
    call.require(result_.size() <= 8, "it has more than 8 dimensions");
    for (std::size_t d = 0; d < result_.size(); ++d) plain_.push_back(result_name(d));
  }

  void add_dimension(std::size_t d, const ResizedDimension& dimension) {
    Interpolation interpolation = interpolate(dimension);
    result_[d] = dimension.result;
    if (interpolation.inside_begin > 0 || interpolation.inside_end < dimension.result) {
      condition_ += fmt::format("{0}{1}>={2}&&{1}<{3}", condition_.empty() ? "" : "&&", result_name(d),
                                interpolation.inside_begin, interpolation.inside_end);
    }
    std::string index = index_of(d, dimension, interpolation);
    if (interpolation.weights.empty()) {
      plain_[d] = std::move(index);
      return;
    }
    steps_.push_back({d, std::move(index), interpolation.taps});
    const TensorType type{wide_, {dimension.result, interpolation.taps}};
    const std::vector<float> narrow(interpolation.weights.begin(), interpolation.weights.end());
    constants_.emplace_back(fmt::format("W{}", d), wide_ == kFloat64
                                                       ? call_.graph().add_constant(type, interpolation.weights)
                                                       : call_.graph().add_constant(type, narrow));
    // The first step reads its dimension of the input by taps alone.
    if (steps_.size() > 1) sizes_ += fmt::format(" {}={}", input_name(d), dimension.input);
    sizes_ += fmt::format(" r{}={}", d, interpolation.taps);
  }

  /// `outside`: what elements outside of the input are.
  ValueId apply(double outside) const {
    const ir::Type type = call_.type(0).type;
    std::string text, value = fmt::format("X[{}]", joined(plain_));
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const std::size_t d = steps_[s].dimension;
      const std::string read = fmt::format("{}[{}]", s == 0 ? "X" : fmt::format("T{}", s - 1), joined(read_by(s)));
      value =
          fmt::format("sum(r{0},W{0}[{1},r{0}]*{2})", d, result_name(d), s == 0 ? conversion(read, type, wide_) : read);
      if (s + 1 == steps_.size()) break;
      text += fmt::format("T{}[{}]={};", s, joined(result_of(s)), value);
    }
    if (!steps_.empty()) value = conversion(type.is_int() ? fmt::format("round({})", value) : value, wide_, type);
    if (!condition_.empty()) value = fmt::format("select({},{},{})", condition_, value, number_text(outside));
    std::vector<GraphOperand> operands{{"X", call_.input(0)}};
    for (const auto& [name, constant] : constants_) operands.push_back({name, constant});
    const Indices indices(result_);
    std::string sizes = indices.sizes() + sizes_;
    return call_.apply(fmt::format("{}Y[{}]={}{}", text, indices.list(), value, sizes), operands);
  }

 private:
  struct Step {
    std::size_t dimension;
    std::string index;  ///< of the input
    std::int64_t taps;
  };

  static std::string result_name(std::size_t d) { return fmt::format("i{}", d); }
  static std::string input_name(std::size_t d) { return fmt::format("x{}", d); }

  /// The indices of the tensor that a step reads.
  std::vector<std::string> read_by(std::size_t step) const {
    std::vector<std::string> read = step == 0 ? plain_ : Indices(result_).names();
    read[steps_[step].dimension] = steps_[step].index;
    for (std::size_t later = step + 1; later < steps_.size(); ++later) {
      read[steps_[later].dimension] = input_name(steps_[later].dimension);
    }
    return read;
  }

  /// Those of the tensor that a step computes.
  std::vector<std::string> result_of(std::size_t step) const {
    std::vector<std::string> result = Indices(result_).names();
    for (std::size_t later = step + 1; later < steps_.size(); ++later) {
      result[steps_[later].dimension] = input_name(steps_[later].dimension);
    }
    return result;
  }

  /// The index of the input: an affine one where there is one, else from a table.
  std::string index_of(std::size_t d, const ResizedDimension& dimension, const Interpolation& interpolation) {
    const std::int64_t last = dimension.input - 1;
    const std::string y = result_name(d);
    const std::string tap = interpolation.taps > 1 ? fmt::format("+r{}", d) : "";
    const auto [least, greatest] = std::minmax_element(interpolation.first.begin(), interpolation.first.end());
    const bool is_inside = *least >= 0 && *greatest + interpolation.taps - 1 <= last;
    std::optional<std::string> first = affine_index(interpolation.first, y, dimension);
    if (first && is_inside) return *first + tap;
    if (interpolation.taps == 1) {
      std::vector<std::int64_t> clamped = interpolation.first;
      for (std::int64_t& value : clamped) value = std::clamp<std::int64_t>(value, 0, last);
      if (const std::optional<std::string> index = affine_index(clamped, y, dimension)) return *index;
    }
    if (!first) {
      const std::string table = fmt::format("I{}", d);
      constants_.emplace_back(table, call_.constant(interpolation.first, {dimension.result}));
      first = fmt::format("{}[{}]", table, y);
    }
    return fmt::format("clamp({}{},0,{})", *first, tap, last);
  }

  OperatorCall& call_;
  ir::Type wide_;  ///< in which taps are added up
  std::vector<std::int64_t> result_;
  std::vector<std::string> plain_;  ///< the indices of the input, without taps
  std::vector<Step> steps_;
  std::vector<std::pair<std::string, ValueId>> constants_;  ///< by the names of operands
  std::string condition_;                                   ///< that an element is inside of the input
  std::string sizes_;                                       ///< of indices that are not those of the result
};

/// What Resize and Upsample have in common.
struct ResizeSettings {
  ResizedDimension common;          ///< what is the same for all dimensions
  std::vector<std::int64_t> axes;   ///< those that are resized
  std::vector<double> scales;       ///< of the axes
  std::vector<std::int64_t> sizes;  ///< likewise; empty: by the scales
  std::vector<double> region;       ///< starts of the axes, then ends; empty: everything
  std::string policy = "stretch";   ///< keep_aspect_ratio_policy
  double outside = 0;               ///< extrapolation_value
};

/// Divides sizes by extents, by the same factor in all dimensions if the policy says so.
void set_scales(const OperatorCall& call, ResizeSettings& settings) {
  const auto extent_of = [&](std::size_t i) {
    return static_cast<double>(call.shape(0)[static_cast<std::size_t>(settings.axes[i])]);
  };
  for (std::size_t i = 0; i < settings.axes.size(); ++i) {
    settings.scales.push_back(static_cast<double>(settings.sizes[i]) / extent_of(i));
  }
  if (settings.policy == "stretch" || settings.scales.empty()) return;
  const bool is_larger = settings.policy == "not_smaller";
  call.require_valid(is_larger || settings.policy == "not_larger", "keep_aspect_ratio_policy is none of ONNX's");
  const auto [least, greatest] = std::minmax_element(settings.scales.begin(), settings.scales.end());
  const double scale = is_larger ? *greatest : *least;
  for (std::size_t i = 0; i < settings.axes.size(); ++i) {
    settings.scales[i] = scale;
    settings.sizes[i] = static_cast<std::int64_t>(std::floor(scale * extent_of(i) + 0.5));
  }
}

void set_resized(OperatorCall& call, ResizeSettings settings) {
  require_elements(call, 0);
  call.require(!call.type(0).type.is_bool() || settings.common.mode == "nearest", "its input is of conditions");
  const std::string& mode = settings.common.mode;
  call.require_valid(mode == "nearest" || mode == "linear" || mode == "cubic", "its mode is none of ONNX's");
  const std::size_t count = settings.axes.size();
  call.require_valid(settings.sizes.empty() ? settings.scales.size() == count : settings.sizes.size() == count,
                     "it does not have a scale or size for each axis");
  for (const std::int64_t size : settings.sizes) {
    call.require_valid(size >= 1 && size < std::int64_t{1} << 31, "a size is out of range");
  }
  if (!settings.sizes.empty()) set_scales(call, settings);
  ResizeText text(call);
  bool is_changed = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto d = static_cast<std::size_t>(settings.axes[i]);
    ResizedDimension dimension = settings.common;
    dimension.input = call.shape(0)[d];
    dimension.scale = settings.scales[i];
    call.require_valid(dimension.scale > 0 && dimension.scale < 1e6, "a scale or size is out of range");
    // Scales are float32 numbers, whose product is rounded.
    dimension.result = settings.sizes.empty()
                           ? static_cast<std::int64_t>(
                                 std::floor(static_cast<float>(dimension.input) * static_cast<float>(dimension.scale)))
                           : settings.sizes[i];
    call.require_valid(dimension.result >= 1, "an extent of the result is below 1");
    constexpr std::int64_t kMax = std::int64_t{1} << 20;  // tables have an element for each
    call.require(dimension.input <= kMax && dimension.result <= kMax,
                 "it resizes a dimension of more than 2^20 elements");
    const bool has_region = settings.common.coordinates == "tf_crop_and_resize" && !settings.region.empty();
    if (has_region) {
      call.require_valid(settings.region.size() == 2 * count, "roi does not have a start and an end for each axis");
      dimension.start = settings.region[i];
      dimension.end = settings.region[count + i];
      call.require_valid(std::isfinite(dimension.start) && std::isfinite(dimension.end), "roi is not finite");
    }
    const bool is_whole = !has_region || (dimension.start == 0 && dimension.end == 1);
    if (is_whole && dimension.result == dimension.input && std::abs(dimension.scale - 1) < 1e-9) continue;
    is_changed = true;
    text.add_dimension(d, dimension);
  }
  call.set_output(0, is_changed ? text.apply(settings.outside) : call.input(0));
}

std::vector<std::int64_t> all_axes(const OperatorCall& call) {
  std::vector<std::int64_t> axes;
  for (std::int64_t d = 0; d < call.rank(0); ++d) axes.push_back(d);
  return axes;
}

bool is_given(const OperatorCall& call, std::size_t input) {
  return call.has_input(input) && call.shape(input) != std::vector<std::int64_t>{0};
}

/// Upsample, and Resize of opset 10: by scales, whose fractions are dropped.
void upsample(OperatorCall& call) {
  ResizeSettings settings;
  settings.axes = all_axes(call);
  settings.common.mode = call.text("mode", "nearest");
  if (settings.common.mode == "bilinear") settings.common.mode = "linear";
  settings.common.coordinates = "asymmetric";
  settings.common.nearest_mode = "simple";
  settings.scales = call.has_attribute("scales") ? call.reals("scales") : call.constant_numbers(1);
  set_resized(call, std::move(settings));
}

void resize(OperatorCall& call) {
  ResizeSettings settings;
  ResizedDimension& common = settings.common;
  common.mode = call.text("mode", "nearest");
  common.nearest_mode = call.text("nearest_mode", "round_prefer_floor");
  common.coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  common.cubic_coefficient = call.real("cubic_coeff_a", -0.75);
  common.excludes_outside = call.integer("exclude_outside", 0) != 0;
  common.antialias = call.integer("antialias", 0) != 0;
  settings.outside = call.real("extrapolation_value", 0);
  settings.policy = call.text("keep_aspect_ratio_policy", "stretch");
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> known) {
    return std::find(known.begin(), known.end(), text) != known.end();
  };
  call.require_valid(
      is_one_of(common.nearest_mode, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) &&
          is_one_of(common.coordinates, {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                         "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
      "its nearest_mode or coordinate_transformation_mode is none of ONNX's");
  settings.axes =
      call.has_attribute("axes") ? call.checked_axes(call.integers("axes", {}), call.rank(0)) : all_axes(call);
  if (common.coordinates == "tf_crop_and_resize" && is_given(call, 1)) settings.region = call.constant_numbers(1);
  if (is_given(call, 3)) {
    settings.sizes = call.constant_integers(3);
  } else {
    settings.scales = call.constant_numbers(2);
  }
  set_resized(call, std::move(settings));
}

struct Blocks {
  std::int64_t size;
  bool is_depth_first;  ///< the place in the block is the outer part of the channel, not the inner one
};

Blocks blocks_of(const OperatorCall& call) {
  require_elements(call, 0);
  call.require_valid(call.rank(0) == 4, "the input does not have four dimensions");
  const std::string mode = call.text("mode", "DCR");
  call.require_valid(mode == "DCR" || mode == "CRD", "its mode is none of ONNX's");
  const std::int64_t size = call.integer("blocksize", 0);
  call.require_valid(size >= 1 && size < 65536, "blocksize is out of range");
  return {size, mode == "DCR"};
}

/// The channel of an element is split by a view into its part of the block, p and q, and the rest.
void depth_to_space(OperatorCall& call) {
  const Blocks blocks = blocks_of(call);
  const std::vector<std::int64_t> x = call.shape(0);
  const std::int64_t size = blocks.size, channels = x[1] / (size * size);
  call.require_valid(channels >= 1 && channels * size * size == x[1], "the blocks do not divide the channels");
  const ValueId split =
      call.reshape(call.input(0), blocks.is_depth_first ? std::vector{x[0], size, size, channels, x[2], x[3]}
                                                        : std::vector{x[0], channels, size, size, x[2], x[3]});
  const ValueId moved =
      call.apply(fmt::format("Y[n,c,y,p,x,q]=X[n,{},y,x]", blocks.is_depth_first ? "p,q,c" : "c,p,q"), {{"X", split}});
  call.set_output(0, call.reshape(moved, {x[0], channels, x[2] * size, x[3] * size}));
}

void space_to_depth(OperatorCall& call) {
  const Blocks blocks = blocks_of(call);
  const std::vector<std::int64_t> x = call.shape(0);
  const std::int64_t size = blocks.size;
  call.require_valid(x[2] % size == 0 && x[3] % size == 0, "the blocks do not divide the image");
  const ValueId split = call.reshape(call.input(0), {x[0], x[1], x[2] / size, size, x[3] / size, size});
  const ValueId moved =
      call.apply(fmt::format("Y[n,{},y,x]=X[n,c,y,p,x,q]", blocks.is_depth_first ? "p,q,c" : "c,p,q"), {{"X", split}});
  call.set_output(0, call.reshape(moved, {x[0], x[1] * size * size, x[2] / size, x[3] / size}));
}

}  // namespace

std::vector<OnnxOperator> resizing_operators() {
  return {
      {"DepthToSpace", 1, kNewestOpset, {"blocksize", "mode"}, depth_to_space},
      {"Resize", 10, 10, {"mode"}, upsample},
      {"Resize",
       11,
       kNewestOpset,
       {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
        "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"},
       resize},
      {"SpaceToDepth", 1, kNewestOpset, {"blocksize", "mode"}, space_to_depth},
      {"Upsample", 7, 9, {"mode", "scales"}, upsample},
  };
}

}  // namespace nestwright
