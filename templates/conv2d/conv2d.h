// The convolution of images with filters that read all channels, or all of their group: its definition, its reference
// and its templates (templates/convolution/convolution.h has the formula).
//   NCHW:  X is [n, c, h, w], W is [k, c/groups, r, s] (OIHW), Y is [n, k, p, q]
//   NHWC:  X is [n, h, w, c], W is [r, s, c/groups, k] (HWIO), Y is [n, p, q, k]
// In HWIO the output channels are contiguous, as channels are in X and Y. The arguments are X, W, bias[k] where there
// is one, and Y. As usual in neural networks, filters are not flipped. Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"
#include "templates/convolution/convolution.h"

namespace nestwright {

Operator conv2d_operator();

/// Throws UsageError for groups that do not divide the channels or the filters, and as read_convolution does.
Convolution conv2d_shape(const Workload& workload);

/// Winograd's minimal filtering for CPUs: float32, 3 x 3 filters, stride 1, padding of at most 2.
Template conv2d_winograd_template();
/// Implicit GEMM: slices of image patches and of weights in shared memory. For any sizes and types.
Template conv2d_gpu_template();
/// Direct convolution: the image rows that the windows of a block cover are staged in shared memory. For any types, and
/// sizes whose windows fit there.
Template conv2d_gpu_direct_template();

}  // namespace nestwright
