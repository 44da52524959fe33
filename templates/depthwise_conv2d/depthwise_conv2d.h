// The depthwise convolution of images, where each filter reads one channel: its definition, its reference and its
// templates (templates/convolution/convolution.h has the formula). A channel has `multiplier` filters, so that Y has m
// times as many channels; those computed from one channel of X are adjacent.
//   NCHW:  X is [n, c, h, w], W is [c, m, r, s], Y is [n, c*m, p, q]
//   NHWC:  X is [n, h, w, c], W is [r, s, c, m], Y is [n, p, q, c*m]
// The arguments are X, W, bias[c*m] where there is one, and Y. Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"
#include "templates/convolution/convolution.h"

namespace nestwright {

Operator depthwise_conv2d_operator();

/// The parameters, with as many groups as channels. Throws UsageError as read_convolution does.
Convolution depthwise_conv2d_shape(const Workload& workload);

/// For any sizes and types: each thread computes a tile of results and keeps the filters in registers.
Template depthwise_conv2d_gpu_template();

}  // namespace nestwright
