// Convolutions as cases of tests, and a loop over the formula that is independent of definition and reference.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "nestwright/registry.h"
#include "tests/templates/matmul/cases.h"

namespace nestwright::testing_convolution {

/// Odd sizes and every parameter, small enough to be interpreted.
inline const std::vector<std::string>& workloads() {
  static const std::vector<std::string> list = {
      "conv2d n=1 c=1 h=1 w=1 k=1 r=1 s=1",
      "conv2d n=1 c=3 h=7 w=6 k=5 r=3 s=3 pad=1",
      "conv2d n=2 c=3 h=9 w=7 k=4 r=3 s=2 stride=2 layout=NHWC",
      "conv2d n=1 c=4 h=8 w=11 k=6 r=2 s=3 stride=1 stride_w=3 pad=2 pad_left=0 pad_bottom=1 pad_right=3",
      "conv2d n=2 c=2 h=9 w=10 k=3 r=3 s=3 pad=2 dilation=2 dilation_w=3 layout=NHWC epilogue=bias_relu",
      "conv2d n=1 c=6 h=5 w=5 k=9 r=3 s=3 pad=1 groups=3 epilogue=bias",
      "conv2d n=2 c=4 h=5 w=6 k=4 r=3 s=3 pad=1 stride=2 groups=2 layout=NHWC epilogue=relu",
      "conv2d n=1 c=3 h=5 w=4 k=3 r=2 s=2 groups=3 dtype=float64",
      "conv2d n=3 c=5 h=4 w=3 k=7 r=1 s=1 layout=NHWC",
      "conv2d n=1 c=2 h=2 w=3 k=2 r=3 s=5 pad=3 pad_right=5 stride=2",
      "conv2d n=1 c=5 h=6 w=5 k=3 r=3 s=3 pad=1 dtype=int8 epilogue=bias_relu",
      "conv2d n=1 c=5 h=6 w=5 k=3 r=3 s=3 pad=1 dtype=uint8 layout=NHWC",
      "conv2d n=1 c=4 h=5 w=6 k=3 r=3 s=2 pad=1 pad_left=0 dtype=bfloat16 epilogue=bias",
      "conv2d n=1 c=4 h=5 w=6 k=3 r=3 s=2 pad=1 dtype=float16 epilogue=bias_relu",
      "conv2d n=1 c=3 h=7 w=6 k=5 r=3 s=3 pad=1 prepared=w",
      "conv2d n=1 c=6 h=6 w=5 k=8 r=3 s=2 pad=1 stride=2 groups=2 layout=NHWC epilogue=bias prepared=w",
      "depthwise_conv2d n=1 c=1 h=1 w=1 r=1 s=1",
      "depthwise_conv2d n=2 c=5 h=7 w=6 r=3 s=3 pad=1 epilogue=bias_relu",
      "depthwise_conv2d n=1 c=3 h=9 w=8 multiplier=2 r=3 s=2 stride=2 pad=1 pad_right=0",
      "depthwise_conv2d n=2 c=3 h=7 w=9 multiplier=3 r=2 s=3 stride=1 stride_w=2 dilation=2 dilation_w=1 pad=1 "
      "layout=NHWC epilogue=bias",
      "depthwise_conv2d n=1 c=6 h=5 w=5 r=3 s=3 pad=1 layout=NHWC dtype=float64",
      "depthwise_conv2d n=1 c=3 h=5 w=6 r=5 s=3 pad=2 dtype=int8",
      "depthwise_conv2d n=1 c=5 h=7 w=6 r=3 s=3 pad=1 prepared=w",
      "depthwise_conv2d n=1 c=3 h=5 w=6 multiplier=2 r=3 s=3 layout=NHWC dtype=float16 epilogue=relu",
  };
  return list;
}

/// Y by the formula, with one long sum for each element. Integer sums do not wrap.
inline std::vector<double> plain_loop(const Workload& w, const HostTensors& in) {
  const auto size = [&](const char* name) { return static_cast<long>(w.size(name)); };
  const bool depthwise = w.op->name == "depthwise_conv2d", last = w.choice("layout") == "NHWC";
  const long N = size("n"), C = size("c"), H = size("h"), W = size("w"), R = size("r"), S = size("s");
  const long K = depthwise ? C * size("multiplier") : size("k"), G = depthwise ? C : size("groups");
  const long u = size("stride"), v = size("stride_w"), d = size("dilation"), e = size("dilation_w");
  const long top = size("pad"), left = size("pad_left");
  const long P = (H + top + size("pad_bottom") - d * (R - 1) - 1) / u + 1;
  const long Q = (W + left + size("pad_right") - e * (S - 1) - 1) / v + 1;
  const long CG = C / G, KG = K / G;
  const std::string after = w.choice("epilogue");
  const bool bias = after == "bias" || after == "bias_relu", relu = after == "relu" || after == "bias_relu";
  std::vector<double> y(static_cast<std::size_t>(N * K * P * Q));
  for (long n = 0; n < N; ++n) {
    for (long k = 0; k < K; ++k) {
      for (long p = 0; p < P; ++p) {
        for (long q = 0; q < Q; ++q) {
          long double sum = bias ? in[2][static_cast<std::size_t>(k)] : 0;
          for (long c = 0; c < CG; ++c) {
            for (long r = 0; r < R; ++r) {
              for (long s = 0; s < S; ++s) {
                const long row = p * u + r * d - top, column = q * v + s * e - left, channel = k / KG * CG + c;
                if (row < 0 || row >= H || column < 0 || column >= W) continue;
                const long x =
                    last ? ((n * H + row) * W + column) * C + channel : ((n * C + channel) * H + row) * W + column;
                // Depthwise filters: [c, m, r, s] is [k, 1, r, s], and [r, s, c, m] is [r, s, 1, k].
                const long f = last ? ((r * S + s) * CG + c) * K + k : ((k * CG + c) * R + r) * S + s;
                sum +=
                    static_cast<long double>(in[0][static_cast<std::size_t>(x)]) * in[1][static_cast<std::size_t>(f)];
              }
            }
          }
          const long at = last ? ((n * P + p) * Q + q) * K + k : ((n * K + k) * P + p) * Q + q;
          y[static_cast<std::size_t>(at)] = static_cast<double>(relu && sum < 0 ? 0 : sum);
        }
      }
    }
  }
  return y;
}

}  // namespace nestwright::testing_convolution
