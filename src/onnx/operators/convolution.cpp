// Convolutions.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"
#include "onnx/operators/window.h"

namespace nestwright {
namespace {

/// How a tensor is read, and its shape: a view that has the dimensions of the indices alone.
struct IndexedTensor {
  std::vector<std::string> indices;
  std::vector<std::int64_t> shape;

  void add(const std::string& index, std::int64_t extent) {
    indices.push_back(index);
    shape.push_back(extent);
  }
};

/// The parts of Y[result] = sum(summed, X[input] * W[weight]) + B[bias]. Groups are a dimension of their own. What has
/// one element is left out: the groups of a plain convolution, the channels of a group in a depthwise one, the kernel
/// of a pointwise one.
struct ConvolutionText {
  std::vector<std::string> result, summed;
  IndexedTensor input, weight, bias;
  std::string sizes;

  void add_size(const std::string& name, std::int64_t extent) { sizes += fmt::format(" {}={}", name, extent); }
  /// An index of the kernel.
  void add_tap(const std::string& name, std::int64_t extent) {
    weight.add(name, extent);
    add_size(name, extent);
  }
};

struct Channels {
  std::int64_t groups, inputs, results;  ///< inputs and results: of each group
};

/// Begins the text with the indices of channels: g, c and o.
ConvolutionText with_channels(const Channels& channels, bool is_transposed, std::int64_t batch) {
  const bool has_groups = channels.groups > 1;
  const bool has_inputs = !has_groups || channels.inputs > 1, has_results = !has_groups || channels.results > 1;
  ConvolutionText text;
  text.result.emplace_back("n");
  text.input.add("n", batch);
  text.add_size("n", batch);
  if (has_groups) {
    text.result.emplace_back("g");
    for (IndexedTensor* const tensor : {&text.input, &text.weight, &text.bias}) tensor->add("g", channels.groups);
    text.add_size("g", channels.groups);
  }
  if (has_inputs && is_transposed) text.weight.add("c", channels.inputs);
  if (has_results) {
    text.result.emplace_back("o");
    for (IndexedTensor* const tensor : {&text.weight, &text.bias}) tensor->add("o", channels.results);
    text.add_size("o", channels.results);
  }
  if (has_inputs && !is_transposed) text.weight.add("c", channels.inputs);
  if (has_inputs) {
    text.summed.emplace_back("c");
    text.input.add("c", channels.inputs);
    text.add_size("c", channels.inputs);
  }
  return text;
}

/// Adds the node and the view of its result that has `shape`. `input` is the term that reads X.
void set_convolution(OperatorCall& call, const ConvolutionText& text, const std::string& input,
                     std::vector<std::int64_t> shape) {
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const auto read = [](const char* name, const IndexedTensor& tensor) {
    return fmt::format("{}[{}]", name, joined(tensor.indices));
  };
  const std::string product =
      fmt::format("{}*{}", conversion(input, type, wide), converted_read(call, 1, read("W", text.weight), wide));
  std::string value = text.summed.empty() ? product : fmt::format("sum({},{})", joined(text.summed), product);
  std::vector<GraphOperand> operands{{"X", call.reshape(call.input(0), text.input.shape)},
                                     {"W", call.reshape(call.input(1), text.weight.shape)}};
  if (call.has_input(2)) {
    call.require_valid(call.rank(2) == 1 && call.shape(2)[0] == shape[1], "B does not have an element per channel");
    value += "+" + converted_read(call, 2, read("B", text.bias), wide);
    operands.push_back({"B", call.reshape(call.input(2), text.bias.shape)});
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
  for (const std::size_t input : {0, 1}) require_floats(call, input);
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
    text.input.add(window.index(d, y, r), x[d + 2]);
    shape.push_back(window.result[d]);
    if (r.empty()) continue;
    text.summed.push_back(r);
    text.add_tap(r, window.kernel[d]);
  }
  const std::string read = fmt::format("X[{}]{}", joined(text.input.indices), window.is_padded() ? "?0" : "");
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
    constexpr std::int64_t kMax = std::int64_t{1} << 31;
    for (std::size_t d = 0; d < rank(); ++d) {
      call.require_valid(input[d] < kMax, "an extent of the input is out of range");
      call.require_valid(wanted.empty() || (wanted[d] >= 1 && wanted[d] < kMax), "an output_shape is out of range");
      call.require_valid(more[d] >= 0 && more[d] < std::max(strides[d], dilations[d]),
                         "an output_padding is out of range");
      const std::int64_t all = strides[d] * (input[d] - 1) + more[d] + extent(d);
      if (!wanted.empty() || is_same()) {
        result.push_back(wanted.empty() ? input[d] * strides[d] : wanted[d]);
        set_padding(d, std::max<std::int64_t>(0, all - result[d]));
      } else {
        result.push_back(all - before[d] - after[d]);
      }
      call.require_valid(result[d] >= 1 && result[d] < kMax, "an extent of the result is out of range");
    }
  }

  /// Whether the windows do not overlap and cover the result.
  bool is_tiling() const {
    for (std::size_t d = 0; d < rank(); ++d) {
      const bool fits = kernel[d] == strides[d] && dilations[d] == 1 && before[d] == 0;
      if (!fits || result[d] != input[d] * strides[d]) return false;
    }
    return true;
  }

  std::vector<std::int64_t> input, result;
};

/// Windows that do not overlap: the place in the window is a dimension of the result, which a view merges with that of
/// the windows.
void set_tiling(OperatorCall& call, const TransposedWindow& window, ConvolutionText text,
                std::vector<std::int64_t> shape) {
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::string y = spatial_name("y", d), r = spatial_name("r", d);
    text.result.push_back(y);
    text.input.add(y, window.input[d]);
    text.add_size(y, window.input[d]);
    if (window.kernel[d] == 1) continue;
    text.result.push_back(r);
    text.add_tap(r, window.kernel[d]);
  }
  set_convolution(call, text, fmt::format("X[{}]", joined(text.input.indices)), std::move(shape));
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
    text.input.add(stride == 1 ? offset : fmt::format("({})/{}", offset, stride), window.input[d]);
    if (stride > 1) condition += fmt::format("{}({})%{}==0", condition.empty() ? "" : "&&", offset, stride);
    is_padded =
        is_padded || before + 1 < window.extent(d) || (window.result[d] - 1 + before) / stride >= window.input[d];
    if (r.empty()) continue;
    text.summed.push_back(r);
    text.add_tap(r, window.kernel[d]);
  }
  std::string read = fmt::format("X[{}]{}", joined(text.input.indices), is_padded ? "?0" : "");
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
