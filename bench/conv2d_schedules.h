// Convolutions with schedules drawn at random: what the lowering is timed on beside the matrix product's template.
// Thread rule: as for schedules; nothing is shared between two of them.
#pragma once

#include <random>
#include <vector>

#include "schedule/schedule.h"

namespace nestwright::bench {

/// A padded 3x3 convolution in NCHW of 1x64x56x56 by 64x64x3x3, as a caller would write it.
struct Conv2d {
  Tensor image, filter, padded, result;
  IterVar channel, dy, dx;

  std::vector<Tensor> args() const { return {image, filter, result}; }
};
Conv2d make_conv2d();

/// Splits of every axis but the window's (factors divide or not), an order of the tiles, a vectorised width or channel,
/// parallel rows, the padding inlined, stored or computed at some loop, a copy of the filter, unrolled windows. Throws
/// ScheduleError for the few draws that are illegal.
Schedule draw_conv2d_schedule(const Conv2d& op, std::mt19937_64& random);

}  // namespace nestwright::bench
