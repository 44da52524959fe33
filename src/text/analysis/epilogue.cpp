#include "text/analysis/epilogue.h"

#include <algorithm>
#include <map>

namespace nestwright::text {
namespace {

constexpr int kMaxReads = 16;  ///< of the first tensor: each may become a copy of its expression

/// Whether the access reads the element that the stage computes, of a tensor of the same shape.
bool is_in_place(const Program& program, const Stage& stage, const Access& access) {
  if (access.padding) return false;
  const TensorInfo& tensor = *program.find_tensor(access.tensor);
  std::vector<std::string> indices;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    if (tensor.shape[d] == 1) continue;
    const auto* const index = std::get_if<IndexValue>(&access.indices[d].value);
    if (index == nullptr || stage.find_axis(index->name)->extent != tensor.shape[d]) return false;
    indices.push_back(index->name);
  }
  return indices == long_axes(stage);
}

}  // namespace

std::vector<std::string> long_axes(const Stage& stage) {
  std::vector<std::string> names;
  for (const Axis& axis : stage.axes) {
    if (axis.extent > 1) names.push_back(axis.name);
  }
  return names;
}

bool has_epilogue(const Program& program) {
  if (program.stages.size() < 2) return false;
  std::map<std::string, int, std::less<>> reads;  // of the first tensor, by computed tensor
  reads[program.tensors[program.stages.front().tensor].name] = 1;
  for (std::size_t s = 1; s < program.stages.size(); ++s) {
    const Stage& stage = program.stages[s];
    if (stage.reduction) return false;
    int count = 0;
    bool is_pointwise = true;
    for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      if (program.find_tensor(access.tensor)->is_input) return;
      is_pointwise = is_pointwise && is_in_place(program, stage, access);
      count = std::min(count + reads.at(access.tensor), kMaxReads + 1);
    });
    if (!is_pointwise || count == 0 || count > kMaxReads) return false;
    reads[program.tensors[stage.tensor].name] = count;
  }
  const auto outputs =
      std::ranges::count_if(program.parameters(), [&](std::size_t t) { return !program.tensors[t].is_input; });
  return outputs == 1;
}

bool epilogue_reads(const Program& program, std::size_t tensor) {
  return std::any_of(program.stages.begin() + 1, program.stages.end(), [&](const Stage& stage) {
    bool is_read = false;
    for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      is_read = is_read || access.tensor == program.tensors[tensor].name;
    });
    return is_read;
  });
}

}  // namespace nestwright::text
