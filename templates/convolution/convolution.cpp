#include "templates/convolution/convolution.h"

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Kind = OperatorParameter::Kind;

WindowAxis read_axis(const Workload& workload, const char* input, const char* filter, const std::string& stride,
                     const std::string& dilation, const char* before, const char* after) {
  const WindowAxis axis{workload.size(input),    workload.size(filter), workload.size(stride),
                        workload.size(dilation), workload.size(before), workload.size(after)};
  if (axis.reach() > axis.padded()) {
    throw UsageError(std::string(filter) + "=" + std::to_string(axis.filter) + " with " + dilation + "=" +
                     std::to_string(axis.dilation) + " of " + workload.op->name + " reaches over " +
                     std::to_string(axis.reach()) + " elements, more than the " + std::to_string(axis.padded()) +
                     " of the image and its padding; give a smaller filter or more padding");
  }
  return axis;
}

/// A parameter whose default is the value of another one.
OperatorParameter following(const std::string& name, const std::string& meaning, Kind kind, const std::string& other) {
  return {name, meaning, kind, "as " + other, {}, [other](const Workload& before) { return before.choice(other); }};
}

double bytes_of(const std::vector<Tensor>& tensors) {
  double bytes = 0;
  for (const Tensor& tensor : tensors) {
    double elements = 1;
    for (const Expr& e : tensor.shape()) elements *= static_cast<double>(*ir::as_const_int(e));
    bytes += elements * tensor.dtype().bytes();
  }
  return bytes;
}

}  // namespace

Convolution read_convolution(const Workload& workload) {
  Convolution result;
  result.images = workload.size("n");
  result.channels = workload.size("c");
  result.rows = read_axis(workload, "h", "r", "stride", "dilation", "pad", "pad_bottom");
  result.columns = read_axis(workload, "w", "s", "stride_w", "dilation_w", "pad_left", "pad_right");
  result.channels_last = workload.choice("layout") == "NHWC";
  result.types = matmul_types(workload.type("dtype"));
  const std::string& after = workload.choice("epilogue");
  result.bias = after.find("bias") != std::string::npos;
  result.relu = after.find("relu") != std::string::npos;
  result.prepares_weights = workload.choice("prepared") == "w";
  return result;
}

std::vector<OperatorParameter> convolution_parameters(std::vector<OperatorParameter> between) {
  std::vector<OperatorParameter> parameters{{"n", "the number of images", Kind::kSize, ""},
                                            {"c", "the number of channels of X", Kind::kSize, ""},
                                            {"h", "the number of rows of an image", Kind::kSize, ""},
                                            {"w", "the number of columns of an image", Kind::kSize, ""}};
  parameters.insert(parameters.end(), between.begin(), between.end());
  const std::vector<OperatorParameter> window{
      {"r", "the number of rows of a filter", Kind::kSize, ""},
      {"s", "the number of columns of a filter", Kind::kSize, ""},
      {"stride", "rows from one window to the next", Kind::kSize, "1"},
      following("stride_w", "columns from one window to the next", Kind::kSize, "stride"),
      {"pad", "rows of zeros above an image", Kind::kCount, "0"},
      following("pad_left", "columns of zeros on the left", Kind::kCount, "pad"),
      following("pad_bottom", "rows of zeros below", Kind::kCount, "pad"),
      following("pad_right", "columns of zeros on the right", Kind::kCount, "pad_left"),
      {"dilation", "rows of an image from one row of a filter to the next", Kind::kSize, "1"},
      following("dilation_w", "columns of an image from one column of a filter to the next", Kind::kSize, "dilation")};
  parameters.insert(parameters.end(), window.begin(), window.end());
  parameters.push_back({"layout",
                        "the order of the dimensions of X and Y: images, channels, rows and columns, or channels last",
                        Kind::kChoice,
                        "NCHW",
                        {"NCHW", "NHWC"}});
  parameters.push_back({"dtype",
                        "the type of X, W and Y; but bfloat16 gives a Y of float32, int8 one of int32, and uint8, "
                        "which is that of X beside a W of int8, int32, too",
                        Kind::kType,
                        "float32",
                        {"float32", "float64", "bfloat16", "float16", "int8", "uint8"}});
  parameters.push_back({"epilogue",
                        "what is added and applied before Y is stored; the bias is one number a filter",
                        Kind::kChoice,
                        "none",
                        {"none", "relu", "bias", "bias_relu"}});
  parameters.push_back({"prepared",
                        "the operand that is constant across calls and packed once, before them: w, the weights of a "
                        "layer",
                        Kind::kChoice,
                        "none",
                        {"none", "w"}});
  return parameters;
}

std::vector<Expr> in_layout(const Convolution& convolution, const Expr& image, const Expr& channel, const Expr& row,
                            const Expr& column) {
  if (convolution.channels_last) return {image, row, column, channel};
  return {image, channel, row, column};
}

ImageIndex from_layout(const Convolution& convolution, std::span<const Expr> indices) {
  check(indices.size() == 4, "an element of an image has four indices");
  if (convolution.channels_last) return {indices[0], indices[3], indices[1], indices[2]};
  return {indices[0], indices[1], indices[2], indices[3]};
}

std::vector<Expr> output_shape(const Convolution& c) {
  return in_layout(c, c.images, c.filters, c.rows.output(), c.columns.output());
}

Expr padded_element(const Convolution& convolution, const Tensor& x, const ImageIndex& at, std::int64_t rows,
                    std::int64_t columns, const Expr& also) {
  Expr inside = also;
  const auto require = [&](const Expr& condition) { inside = inside.defined() ? inside && condition : condition; };
  const auto require_inside = [&](const WindowAxis& axis, const Expr& index, std::int64_t extent) {
    if (axis.before > 0) require(index >= axis.before);
    if (extent > axis.before + axis.input) require(index < axis.before + axis.input);
  };
  require_inside(convolution.rows, at.row, rows);
  require_inside(convolution.columns, at.column, columns);
  const Expr element = x.at(in_layout(convolution, at.image, at.channel, at.row - convolution.rows.before,
                                      at.column - convolution.columns.before));
  return inside.defined() ? select(inside, element, ir::make_const(0, x.dtype())) : element;
}

Expr window_index(const WindowAxis& axis, const Expr& output, const Expr& tap) {
  return output * axis.stride + tap * axis.dilation;
}

Expr finished(const Convolution& convolution, const Expr& sum, const Expr& filter, std::span<const Tensor> inputs,
              double scale) {
  Expr y = sum;
  if (convolution.bias) y = y + cast(y.type(), inputs[2](filter)) * ir::make_const(scale, y.type());
  if (scale != 1) y = y * ir::make_const(1 / scale, y.type());
  if (convolution.relu) y = max(y, ir::make_const(0, y.type()));
  return cast(convolution.types.c, y);
}

Definition define_convolution(const Convolution& convolution, const std::vector<std::int64_t>& weight_shape,
                              const WeightAt& weight) {
  const Convolution& c = convolution;
  const Tensor x =
      placeholder(in_layout(c, c.images, c.channels, c.rows.input, c.columns.input), convolution.types.a, "X");
  const Tensor w = placeholder({weight_shape.begin(), weight_shape.end()}, convolution.types.b, "W");
  std::vector<Tensor> args{x, w};
  if (c.bias) args.push_back(placeholder({Expr(c.filters)}, c.types.c, "bias"));

  const IterVar channel = reduce_axis(c.group_channels(), "c");
  const IterVar row = reduce_axis(c.rows.filter, "r"), column = reduce_axis(c.columns.filter, "s");
  const bool one_channel = c.groups == c.channels;
  std::vector<IterVar> axes{row, column};
  if (!one_channel) axes.insert(c.channels_last ? axes.end() : axes.begin(), channel);
  const std::int64_t padded_rows = c.rows.padded(), padded_columns = c.columns.padded();
  const Tensor padded = !c.is_padded()
                            ? x
                            : compute(
                                  in_layout(c, c.images, c.channels, padded_rows, padded_columns),
                                  [&](std::span<const Expr> indices) {
                                    return padded_element(c, x, from_layout(c, indices), padded_rows, padded_columns);
                                  },
                                  "padded");
  const auto wide = [&](const Expr& e) { return cast(c.types.sum, e); };
  const auto sum_at = [&](std::span<const Expr> indices) {
    const ImageIndex y = from_layout(c, indices);
    const Expr in_group = one_channel ? Expr(0) : Expr(channel);
    const Expr first = c.groups == 1 ? Expr(0) : y.channel / c.group_filters() * c.group_channels();
    const Expr value =
        padded.at(in_layout(c, y.image, c.groups == 1 ? in_group : first + in_group, window_index(c.rows, y.row, row),
                            window_index(c.columns, y.column, column)));
    return sum(wide(value) * wide(weight(w, y.channel, in_group, row, column)), axes);
  };
  const bool is_plain = !c.bias && !c.relu;
  Tensor y = compute(output_shape(c), sum_at, is_plain ? "Y" : "sums");
  if (!is_plain) {
    y = compute(
        output_shape(c),
        [&, sums = y](std::span<const Expr> indices) {
          return finished(c, sums(indices), from_layout(c, indices).channel, args);
        },
        "Y");
  }
  args.push_back(y);
  const double results = static_cast<double>(c.images) * static_cast<double>(c.filters) *
                         static_cast<double>(c.rows.output()) * static_cast<double>(c.columns.output());
  const double flops = 2 * results * static_cast<double>(c.terms());
  const double bytes = bytes_of(args);
  Definition definition{std::move(args), c.bias ? 3 : 2, flops, bytes};
  if (c.prepares_weights) definition.constant_inputs = {1};
  return definition;
}

}  // namespace nestwright
