#include "templates/conv2d/conv2d.h"

#include <algorithm>

#include "nestwright/error.h"
#include "templates/conv2d/winograd_form.h"

namespace nestwright {
namespace {

Definition define_conv2d(const Workload& workload) {
  const Convolution c = conv2d_shape(workload);
  const std::int64_t rows = c.rows.filter, columns = c.columns.filter;
  if (c.channels_last) {
    return define_convolution(c, {rows, columns, c.group_channels(), c.filters},
                              [](const Tensor& w, const Expr& filter, const Expr& channel, const Expr& row,
                                 const Expr& column) { return w(row, column, channel, filter); });
  }
  return define_convolution(c, {c.filters, c.group_channels(), rows, columns},
                            [](const Tensor& w, const Expr& filter, const Expr& channel, const Expr& row,
                               const Expr& column) { return w(filter, channel, row, column); });
}

/// Numbers so small that every algorithm of the templates is exact.
int more_bits(const Workload& workload) {
  return winograd_unsupported_reason(conv2d_shape(workload)).empty() ? kWinogradBits : 0;
}

}  // namespace

Convolution conv2d_shape(const Workload& workload) {
  Convolution result = read_convolution(workload);
  result.filters = workload.size("k");
  result.groups = workload.size("groups");
  for (const char* divided : {"c", "k"}) {
    if (workload.size(divided) % result.groups == 0) continue;
    throw UsageError("groups=" + std::to_string(result.groups) + " of conv2d does not divide " + divided + "=" +
                     workload.choice(divided) + "; give a divisor of both c and k");
  }
  return result;
}

Operator conv2d_operator() {
  using Kind = OperatorParameter::Kind;
  std::vector<OperatorParameter> parameters =
      convolution_parameters({{"k", "the number of filters, which is that of channels of Y", Kind::kSize, ""}});
  const auto before_layout = std::find_if(parameters.begin(), parameters.end(), [](const OperatorParameter& parameter) {
    return parameter.name == "layout";
  });
  parameters.insert(before_layout,
                    {"groups", "parts of the channels and of the filters; a filter reads the channels of its part",
                     Kind::kSize, "1"});
  return {"conv2d",
          "convolution of images with filters",
          parameters,
          define_conv2d,
          [](const Workload& workload, const HostTensors& inputs) {
            return convolution_reference(conv2d_shape(workload), workload, inputs);
          },
          [](const Workload& workload) {
            return values_of(
                convolution_integer_sources(conv2d_shape(workload), workload, more_bits(workload), Signs::kMixed));
          },
          [](const Workload& workload, const CheckedInputs& uniform) {
            return convolution_wide_inputs(conv2d_shape(workload), workload, uniform);
          },
          {},
          convolution_checks(conv2d_shape, more_bits)};
}

}  // namespace nestwright
