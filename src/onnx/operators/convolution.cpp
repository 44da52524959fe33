// Convolutions.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/tables.h"
#include "onnx/operators/window.h"

namespace nestwright {
namespace {

/// X is [n, groups * c, spatial...], W is [groups * o, c, kernel...], B is [groups * o].
void conv(OperatorCall& call) {
  const std::vector<std::int64_t>&x = call.shape(0), &w = call.shape(1);
  call.require_valid(x.size() >= 3 && w.size() == x.size(), "the ranks of X and W do not fit");
  const std::int64_t groups = call.integer("group", 1);
  call.require_valid(groups >= 1 && w[0] % groups == 0 && w[1] * groups == x[1], "the channels do not fit");
  const Window window(call, {x.begin() + 2, x.end()}, {w.begin() + 2, w.end()}, {});
  const std::size_t spatial = window.rank();

  // The result has the groups as a dimension of its own, which a view takes away.
  const std::int64_t c = w[1], o = w[0] / groups;
  std::vector<std::string> out{"n"}, read{"n"}, reduced{"c"}, weight;
  std::string sizes = fmt::format(" n={} o={} c={}", x[0], o, c);
  std::vector<std::int64_t> shape{x[0], w[0]};
  if (groups > 1) {
    out.push_back("g");
    sizes += fmt::format(" g={}", groups);
    read.push_back(c == 1 ? "g" : fmt::format("g*{}+c", c));
    weight.push_back(o == 1 ? "g" : fmt::format("g*{}+o", o));
  } else {
    read.push_back("c");
    weight.push_back("o");
  }
  const bool is_depthwise = groups > 1 && c == 1;
  if (is_depthwise) {
    reduced.clear();
    sizes = fmt::format(" n={} o={} g={}", x[0], o, groups);
  }
  out.push_back("o");
  weight.push_back(is_depthwise ? "0" : "c");
  for (std::size_t d = 0; d < spatial; ++d) {
    out.push_back(fmt::format("y{}", d));
    reduced.push_back(fmt::format("r{}", d));
    weight.push_back(fmt::format("r{}", d));
    read.push_back(window.index(d, out.back(), reduced.back()));
    sizes += fmt::format(" y{}={} r{}={}", d, window.result()[d], d, window.kernel()[d]);
    shape.push_back(window.result()[d]);
  }
  const bool has_bias = call.has_input(2);
  const std::string bias = has_bias ? fmt::format("+B[{}]", weight[0]) : "";
  const std::string expression = fmt::format("Y[{}]=sum({},X[{}]{}*W[{}]){}{}", joined(out), joined(reduced),
                                             joined(read), window.is_padded() ? "?0" : "", joined(weight), bias, sizes);
  std::vector<Operand> operands{{"X", call.input(0)}, {"W", call.input(1)}};
  if (has_bias) operands.push_back({"B", call.input(2)});
  call.set_output(0, call.reshape(call.apply(expression, operands), shape));
}

}  // namespace

std::vector<OnnxOperator> convolution_operators() {
  return {
      {"Conv", 1, kNewestOpset, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}, conv},
  };
}

}  // namespace nestwright
