#include "graph/layout/blocked_shape.h"

#include <algorithm>

namespace nestwright {

std::size_t channel_dimension(const std::vector<std::int64_t>& shape) { return shape.size() - 3; }

bool has_blocks(const std::vector<std::int64_t>& shape, int block) {
  if (shape.size() < 3 || block < 2) return false;
  const std::int64_t channels = shape[channel_dimension(shape)];
  return channels > 0 && channels % block == 0;
}

std::vector<std::int64_t> shape_in(const std::vector<std::int64_t>& shape, int layout) {
  std::vector<std::int64_t> result = shape;
  if (layout == 0) return result;
  result[channel_dimension(shape)] /= layout;
  result.push_back(layout);
  return result;
}

bool view_keeps_blocks(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, int block) {
  return has_blocks(from, block) && has_blocks(to, block) && std::equal(from.end() - 2, from.end(), to.end() - 2);
}

}  // namespace nestwright
