// The shapes of tensors with blocked channels: the channels are divided into blocks, whose elements are the last
// dimension.
//
//   X[c, y, x]      float32[64, 56, 56]      as in the file
//   X[p, y, x, q]   float32[4, 56, 56, 16]   in blocks of 16: c = 16 * p + q
//
// Thread rule: pure functions. Layouts are 0, as in the file, or the channels of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwright {

/// The last dimension but two, rows and columns. Requires a shape of rank 3 or more.
std::size_t channel_dimension(const std::vector<std::int64_t>& shape);

/// Whether a tensor of this shape has channels, and as many as make whole blocks. Tensors of fewer dimensions than
/// three have none.
bool has_blocks(const std::vector<std::int64_t>& shape, int block);

/// The shape in a layout. Requires has_blocks(), or layout 0.
std::vector<std::int64_t> shape_in(const std::vector<std::int64_t>& shape, int layout);

/// Whether a view of one shape as another is also a view of the blocked tensors: both have equally many rows and
/// columns, and blocks. So images, groups and channels may be one dimension or several.
bool view_keeps_blocks(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, int block);

}  // namespace nestwright
