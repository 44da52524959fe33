#include "templates/sketch/nests/divide_into_parts.h"

#include <algorithm>

#include "templates/loops/divide.h"

namespace nestwright {
namespace {

int longest_reduce_axis(const StageAnalysis& stage) {
  const auto first = stage.extents.begin() + stage.spatial;
  return static_cast<int>(std::max_element(first, stage.extents.end()) - first);
}

}  // namespace

std::int64_t divided_extent(const StageAnalysis& stage) {
  return stage.extents[static_cast<std::size_t>(stage.spatial + longest_reduce_axis(stage))];
}

bool divide_into_parts(Sketch& sketch, const StageAnalysis& stage, const std::vector<std::int64_t>& counts) {
  if (counts.empty()) return false;
  std::vector<std::string> options{"1"};
  for (const std::int64_t count : counts) options.push_back(std::to_string(count));
  const std::int64_t parts = std::stoll(sketch.choose(stage.name + ".parts", options));
  if (parts == 1) return false;
  Stage loops = sketch.schedule[stage.tensor];
  const IterVar axis = loops.reduce_axis(longest_reduce_axis(stage));
  sketch.schedule.rfactor(stage.tensor, loops.split(axis, factor(ceil_div(divided_extent(stage), parts))).first, 0);
  return true;
}

}  // namespace nestwright
