#include "graph/layout/conversion.h"

#include <algorithm>

#include "graph/layout/blocked_shape.h"
#include "nestwright/error.h"

namespace nestwright {

ValueId add_conversion(Graph& graph, ValueId value, const std::vector<std::int64_t>& shape, int from, int to) {
  const int large = std::max(from, to), small = std::min(from, to);
  check(small == 0 || large % small == 0, "a block is a multiple of the other one");
  const std::size_t channels = channel_dimension(shape);
  std::int64_t blocks = 1, plane = 1;  // of `large`; rows and columns
  for (std::size_t d = 0; d <= channels; ++d) blocks *= shape[d];
  for (std::size_t d = channels + 1; d < shape.size(); ++d) plane *= shape[d];
  blocks /= large;
  if (plane == 1) return graph.reshape(value, shape_in(shape, to));

  // Dimensions of one element have no index.
  std::vector<std::int64_t> extents;
  std::string outer = blocks > 1 ? "p," : "", inner = small > 0 ? ",q" : "";
  if (blocks > 1) extents.push_back(blocks);
  const std::int64_t parts = small > 0 ? large / small : large;
  const bool splits = from < to;
  extents.insert(extents.end(), {splits ? parts : plane, splits ? plane : parts});
  if (small > 0) extents.push_back(small);
  const std::string by_parts = outer + "r,s" + inner, by_plane = outer + "s,r" + inner;
  const ValueId source = graph.reshape(value, extents);
  const std::string text =
      splits ? "Y[" + by_plane + "]=X[" + by_parts + "]" : "Y[" + by_parts + "]=X[" + by_plane + "]";
  const ValueId converted = graph.apply("Layout", text, {{"X", source}});
  return graph.reshape(converted, shape_in(shape, to));
}

}  // namespace nestwright
