// Convolutions with random schedules, on which the lowering is timed in addition to the matrix product's template.
// Thread rule: that of schedules; operations share no data.
#pragma once

#include <random>
#include <vector>

#include "nestwright/schedule.h"

namespace nestwright::bench {

/// A padded 3x3 convolution in NCHW of 1x64x56x56 by 64x64x3x3, as a user would write it.
struct Conv2d {
  Tensor image, filter, padded, result;
  IterVar channel, dy, dx;

  std::vector<Tensor> args() const { return {image, filter, result}; }
};
Conv2d make_conv2d();

/// A random schedule: split factors for every axis but the window's (dividing or not), an order of the tiles, a
/// vectorised width or channel, parallel rows, the padding inlined, stored or computed at some loop, a copy of the
/// filter, unrolled windows. Throws ScheduleError for the few draws that are illegal.
Schedule draw_conv2d_schedule(const Conv2d& op, std::mt19937_64& random);

}  // namespace nestwright::bench
