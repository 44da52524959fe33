// The convolution of images with filters that read all channels, or all of their group: its definition, its reference
// and its templates (templates/convolution/convolution.h has the formula).
//   NCHW:  X is [n, c, h, w], W is [k, c/groups, r, s] (OIHW), Y is [n, k, p, q]
//   NHWC:  X is [n, h, w, c], W is [r, s, c/groups, k] (HWIO), Y is [n, p, q, k]
// HWIO because then, as in X and Y, what lies side by side are the channels of a result. The arguments are X, W,
// bias[k] where there is one, and Y. The convolution is that of neural networks: filters are not flipped. Thread
// rule: pure functions.
#pragma once

#include "templates/convolution/convolution.h"
#include "templates/framework/template.h"

namespace nestwright {

Operator conv2d_operator();

/// Throws UsageError for groups that do not divide the channels or the filters, and as read_convolution does.
Convolution conv2d_shape(const Workload& workload);

/// By Winograd's minimal filtering, for CPUs: 3 x 3 filters, one column at a time, of float32.
Template conv2d_winograd_template();
/// By implicit matrix products: slices of patches and of weights in shared memory. For any sizes and types.
Template conv2d_gpu_template();
/// Rows of the images in shared memory, which the windows of a block's results have in common. For any types, and sizes
/// where a window fits there.
Template conv2d_gpu_direct_template();

}  // namespace nestwright
