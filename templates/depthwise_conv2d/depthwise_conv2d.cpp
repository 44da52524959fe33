#include "templates/depthwise_conv2d/depthwise_conv2d.h"

namespace nestwright {
namespace {

Definition define_depthwise_conv2d(const Workload& workload) {
  const Convolution c = depthwise_conv2d_shape(workload);
  const std::int64_t rows = c.rows.filter, columns = c.columns.filter, multiplier = c.group_filters();
  const auto channel_of = [multiplier](const Expr& filter) { return multiplier == 1 ? filter : filter / multiplier; };
  const auto number_of = [multiplier](const Expr& filter) { return multiplier == 1 ? Expr(0) : filter % multiplier; };
  if (c.channels_last) {
    return define_convolution(
        c, {rows, columns, c.channels, multiplier},
        [&](const Tensor& w, const Expr& filter, const Expr&, const Expr& row, const Expr& column) {
          return w(row, column, channel_of(filter), number_of(filter));
        });
  }
  return define_convolution(c, {c.channels, multiplier, rows, columns},
                            [&](const Tensor& w, const Expr& filter, const Expr&, const Expr& row, const Expr& column) {
                              return w(channel_of(filter), number_of(filter), row, column);
                            });
}

}  // namespace

Convolution depthwise_conv2d_shape(const Workload& workload) {
  Convolution result = read_convolution(workload);
  result.groups = result.channels;
  result.filters = result.channels * workload.size("multiplier");
  return result;
}

Operator depthwise_conv2d_operator() {
  using Kind = OperatorParameter::Kind;
  return {"depthwise_conv2d",
          "convolution of each channel of images with filters of its own",
          convolution_parameters({{"multiplier", "the number of filters of a channel", Kind::kSize, "1"}}),
          define_depthwise_conv2d,
          [](const Workload& workload, const HostTensors& inputs) {
            return convolution_reference(depthwise_conv2d_shape(workload), workload, inputs);
          },
          [](const Workload& workload) {
            return values_of(convolution_integer_sources(depthwise_conv2d_shape(workload), workload, 0, Signs::kMixed));
          },
          [](const Workload& workload, const CheckedInputs& uniform) {
            return convolution_wide_inputs(depthwise_conv2d_shape(workload), workload, uniform);
          },
          {},
          convolution_checks(depthwise_conv2d_shape, [](const Workload&) { return 0; })};
}

}  // namespace nestwright
