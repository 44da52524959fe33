// Convolutions.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"
#include "onnx/operators/window.h"

namespace nestwright {
namespace {

/// The parts of Y[result] = sum(summed, X[input] * W[weight]) + B[bias]. Indices of one element are left out: those of
/// groups in a plain convolution, of the channels of a group in a depthwise one, of the kernel in a pointwise one.
struct ConvolutionText {
  std::vector<std::string> result{"n"}, input{"n"}, summed, weight;
  std::vector<std::int64_t> weight_shape;  ///< of a view of the weights that has these dimensions alone
  std::string bias;                        ///< the index of B
  std::string sizes;

  void add_size(const std::string& name, std::int64_t extent) { sizes += fmt::format(" {}={}", name, extent); }
};

struct Channels {
  std::int64_t groups, inputs, results;  ///< inputs and results: of each group
};

/// "g*64+c" without what has one element.
std::string channel_index(const Channels& channels, std::int64_t extent, const std::string& name) {
  if (channels.groups == 1) return name;
  return extent == 1 ? "g" : fmt::format("{}+{}", times(extent, "g"), name);
}

/// Begins the text with the indices of channels. `weight_extents`: the first two of W, whose first dimension has those
/// of all groups: the results of a convolution, the inputs of a transposed one.
ConvolutionText with_channels(const Channels& channels, bool is_transposed, std::int64_t batch) {
  ConvolutionText text;
  text.add_size("n", batch);
  const bool has_inputs = channels.groups == 1 || channels.inputs > 1;
  const bool has_results = channels.groups == 1 || channels.results > 1;
  if (channels.groups > 1) {
    text.result.emplace_back("g");
    text.add_size("g", channels.groups);
  }
  if (has_results) {
    text.result.emplace_back("o");
    text.add_size("o", channels.results);
  }
  if (has_inputs) {
    text.summed.emplace_back("c");
    text.add_size("c", channels.inputs);
  }
  text.input.push_back(channel_index(channels, channels.inputs, "c"));
  text.bias = channel_index(channels, channels.results, "o");
  const auto add_weight = [&](const std::string& index, std::int64_t extent) {
    text.weight.push_back(index);
    text.weight_shape.push_back(extent);
  };
  const std::int64_t inputs = channels.groups * channels.inputs, results = channels.groups * channels.results;
  if (is_transposed) {
    add_weight(text.input.back(), inputs);
    if (has_results) add_weight("o", channels.results);
  } else {
    add_weight(text.bias, results);
    if (has_inputs) add_weight("c", channels.inputs);
  }
  return text;
}

/// Adds the node and the view of its result that has `shape`.
void set_convolution(OperatorCall& call, const ConvolutionText& text, const std::string& input,
                     std::vector<std::int64_t> shape) {
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string product = fmt::format("{}*{}", conversion(input, type, wide),
                                          converted_read(call, 1, fmt::format("W[{}]", joined(text.weight)), wide));
  std::string value = text.summed.empty() ? product : fmt::format("sum({},{})", joined(text.summed), product);
  std::vector<Operand> operands{{"X", call.input(0)}, {"W", call.reshape(call.input(1), text.weight_shape)}};
  if (call.has_input(2)) {
    call.require_valid(call.rank(2) == 1 && call.shape(2)[0] == shape[1], "B does not have an element per channel");
    value += "+" + converted_read(call, 2, fmt::format("B[{}]", text.bias), wide);
    operands.push_back({"B", call.input(2)});
  }
  const ValueId result =
      call.apply(fmt::format("Y[{}]={}{}", joined(text.result), conversion(value, wide, type), text.sizes), operands);
  call.set_output(0, call.reshape(result, std::move(shape)));
}

std::vector<std::int64_t> spatial_part(const std::vector<std::int64_t>& shape) {
  return {shape.begin() + 2, shape.end()};
}

std::string spatial_name(const char* prefix, std::size_t d) { return fmt::format("{}{}", prefix, d); }

void require_shapes(const OperatorCall& call) {
  const std::vector<std::int64_t>&x = call.shape(0), &w = call.shape(1);
  call.require_valid(x.size() >= 3 && w.size() == x.size(), "the ranks of X and W do not fit");
  call.require(x.size() <= 5, "it has more than three spatial dimensions");
  call.require_valid(call.type(0).type == call.type(1).type, "the types of X and W differ");
}

/// X is [n, groups * c, spatial...], W is [groups * o, c, kernel...], B is [groups * o].
void conv(OperatorCall& call) {
  require_shapes(call);
  const std::vector<std::int64_t>&x = call.shape(0), &w = call.shape(1);
  const std::int64_t groups = call.integer("group", 1);
  call.require_valid(groups >= 1 && w[0] % groups == 0 && x[1] % groups == 0 && w[1] == x[1] / groups,
                     "the channels do not fit");
  const Window window(call, spatial_part(x), spatial_part(w));
  ConvolutionText text = with_channels({groups, w[1], w[0] / groups}, false, x[0]);
  std::vector<std::int64_t> shape{x[0], w[0]};
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::string y = spatial_name("y", d), r = window.kernel[d] == 1 ? "" : spatial_name("r", d);
    text.result.push_back(y);
    text.add_size(y, window.result[d]);
    text.input.push_back(window.index(d, y, r));
    shape.push_back(window.result[d]);
    if (r.empty()) continue;
    text.summed.push_back(r);
    text.weight.push_back(r);
    text.weight_shape.push_back(window.kernel[d]);
    text.add_size(r, window.kernel[d]);
  }
  const std::string read = fmt::format("X[{}]{}", joined(text.input), window.is_padded() ? "?0" : "");
  set_convolution(call, text, read, std::move(shape));
}

/// The windows of a transposed convolution: element x of the input is added to elements strides*x + dilations*r -
/// before of the result.
struct TransposedWindow : WindowAttributes {
  TransposedWindow(const OperatorCall& call, std::vector<std::int64_t> input_extents,
                   std::vector<std::int64_t> kernel_extents)
      : WindowAttributes(call, std::move(kernel_extents)), input(std::move(input_extents)) {
    const std::vector<std::int64_t> more = call.integers("output_padding", std::vector<std::int64_t>(rank(), 0));
    std::vector<std::int64_t> wanted = call.integers("output_shape", {});
    if (wanted.size() == rank() + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
    call.require_valid(more.size() == rank() && (wanted.empty() || wanted.size() == rank()),
                       "output_padding or output_shape differs in rank from the input");
    for (std::size_t d = 0; d < rank(); ++d) {
      call.require_valid(more[d] >= 0 && more[d] < std::max(strides[d], dilations[d]),
                         "an output_padding is out of range");
      const std::int64_t all = strides[d] * (input[d] - 1) + more[d] + extent(d);
      if (!wanted.empty() || is_same()) {
        result.push_back(wanted.empty() ? input[d] * strides[d] : wanted[d]);
        set_padding(d, std::max<std::int64_t>(0, all - result[d]));
      } else {
        result.push_back(all - before[d] - after[d]);
      }
      constexpr std::int64_t kMax = std::int64_t{1} << 31;
      call.require_valid(result[d] >= 1 && result[d] < kMax, "an extent of the result is out of range");
    }
  }

  /// Whether the windows lie one after the other and make up the result.
  bool is_tiling() const {
    for (std::size_t d = 0; d < rank(); ++d) {
      const bool fits = kernel[d] == strides[d] && dilations[d] == 1 && before[d] == 0;
      if (!fits || result[d] != input[d] * strides[d]) return false;
    }
    return true;
  }

  std::vector<std::int64_t> input, result;
};

/// Windows that lie one after the other: the place in the window is an index of the result, which a view takes away.
void set_tiling(OperatorCall& call, const TransposedWindow& window, ConvolutionText text,
                std::vector<std::int64_t> shape) {
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::string y = spatial_name("y", d), r = spatial_name("r", d);
    text.result.push_back(y);
    text.input.push_back(y);
    text.add_size(y, window.input[d]);
    if (window.kernel[d] == 1) continue;
    text.result.push_back(r);
    text.weight.push_back(r);
    text.weight_shape.push_back(window.kernel[d]);
    text.add_size(r, window.kernel[d]);
  }
  set_convolution(call, text, fmt::format("X[{}]", joined(text.input)), std::move(shape));
}

/// X is [n, groups * c, spatial...], W is [groups * c, o, kernel...], B is [groups * o]. An element of the result adds
/// up those elements of X and W for which strides*x + dilations*r - before is its index, which decides the remainder of
/// r.
void conv_transpose(OperatorCall& call) {
  require_shapes(call);
  const std::vector<std::int64_t>&x = call.shape(0), &w = call.shape(1);
  const std::int64_t groups = call.integer("group", 1);
  call.require_valid(groups >= 1 && x[1] % groups == 0 && w[0] == x[1], "the channels do not fit");
  const TransposedWindow window(call, spatial_part(x), spatial_part(w));
  ConvolutionText text = with_channels({groups, x[1] / groups, w[1]}, true, x[0]);
  std::vector<std::int64_t> shape{x[0], groups * w[1]};
  shape.insert(shape.end(), window.result.begin(), window.result.end());
  const std::size_t tiled_rank = text.result.size() + 2 * window.rank();
  if (window.is_tiling() && tiled_rank <= 8) return set_tiling(call, window, std::move(text), std::move(shape));

  std::string condition;
  bool is_padded = false;
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::string y = spatial_name("y", d), r = window.kernel[d] == 1 ? "" : spatial_name("r", d);
    const std::int64_t stride = window.strides[d], before = window.before[d];
    text.result.push_back(y);
    text.add_size(y, window.result[d]);
    const std::string offset = plus(r.empty() ? y : fmt::format("{}-{}", y, times(window.dilations[d], r)), before);
    text.input.push_back(stride == 1 ? offset : fmt::format("({})/{}", offset, stride));
    if (stride > 1) condition += fmt::format("{}({})%{}==0", condition.empty() ? "" : "&&", offset, stride);
    is_padded =
        is_padded || before + 1 < window.extent(d) || (window.result[d] - 1 + before) / stride >= window.input[d];
    if (r.empty()) continue;
    text.summed.push_back(r);
    text.weight.push_back(r);
    text.weight_shape.push_back(window.kernel[d]);
    text.add_size(r, window.kernel[d]);
  }
  std::string read = fmt::format("X[{}]{}", joined(text.input), is_padded ? "?0" : "");
  if (!condition.empty()) read = fmt::format("select({},{},0)", condition, read);
  set_convolution(call, text, read, std::move(shape));
}

}  // namespace

std::vector<OnnxOperator> convolution_operators() {
  return {
      {"Conv", 1, kNewestOpset, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}, conv},
      {"ConvTranspose",
       1,
       kNewestOpset,
       {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"},
       conv_transpose},
  };
}

}  // namespace nestwright
