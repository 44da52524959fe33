#include "network/storage.h"

#include <algorithm>
#include <set>

#include "graph/program/placement.h"
#include "network/tasks.h"

namespace nestwright {
namespace {

constexpr std::size_t kKernelAlignment = 64;  ///< of what kernels read and write, in bytes

}  // namespace

StorageMap::StorageMap(const Graph& graph)
    : graph_(graph), is_free_(graph.nodes().size()), is_output_(graph.values().size()) {
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (graph.value(node.outputs[0]).is_constant) continue;
    if (node.is_view()) parents_[node.outputs[0]] = {node.inputs[0], 0};
  }
  for (const GraphPort& output : graph.outputs()) is_output_[of(output.value).root] = true;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (is_kernel(graph, graph.nodes()[n])) is_free_[n] = place_part(graph.nodes()[n]);
  }
  // The last ones first, so that concatenations of concatenations lie in the whole.
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    if (is_kernel(graph, graph.nodes()[n]) && !is_free_[n]) is_free_[n] = place_concatenation(graph.nodes()[n]);
  }
}

ValueStorage StorageMap::of(ValueId value) const {
  ValueStorage storage{value, 0};
  for (auto parent = parents_.find(value); parent != parents_.end(); parent = parents_.find(storage.root)) {
    storage = {parent->second.root, storage.offset + parent->second.offset};
  }
  return storage;
}

bool StorageMap::is_kernel_result(ValueId value) const {
  const auto node = graph_.value(value).node;
  return node && is_kernel(graph_, graph_.nodes()[*node]);
}

/// A part of an input, of a result or of another part lies there. A part that is returned is written to the caller.
bool StorageMap::place_part(const GraphNode& node) {
  const std::optional<std::int64_t> offset = part_offset(node);
  if (!offset || is_output_[node.outputs[0]] || graph_.value(node.inputs[0]).is_constant) return false;
  const auto bytes = static_cast<std::size_t>(graph_.type(node.inputs[0]).type.bytes());
  if (static_cast<std::size_t>(*offset) * bytes % kKernelAlignment != 0) return false;
  parents_[node.outputs[0]] = {node.inputs[0], static_cast<std::size_t>(*offset) * bytes};
  return true;
}

/// All inputs have to be results of kernels that lie nowhere else, or adjacent parts of such a result. Others would be
/// copied, which the kernel of the concatenation does.
bool StorageMap::place_concatenation(const GraphNode& node) {
  const std::optional<std::vector<std::int64_t>> offsets = concatenation_offsets(node);
  if (!offsets) return false;
  const ValueId whole = node.outputs[0];
  const std::size_t bytes_of_all = graph_.type(whole).size_bytes();
  const auto bytes = static_cast<std::int64_t>(graph_.type(whole).type.bytes());
  std::map<ValueId, std::size_t> placed;  // roots, by where they begin
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueStorage part = of(node.inputs[i]);
    const std::int64_t begin = (*offsets)[i] * bytes - static_cast<std::int64_t>(part.offset);
    if (begin < 0 || !is_kernel_result(part.root) || is_output_[part.root]) return false;
    const auto at = static_cast<std::size_t>(begin);
    if (at % kKernelAlignment != 0) return false;
    if (at + graph_.type(part.root).size_bytes() > bytes_of_all) return false;
    const auto [known, is_new] = placed.emplace(part.root, at);
    if (!is_new && known->second != at) return false;
  }
  // Two results must not lie on each other.
  std::map<std::size_t, std::size_t> ends;
  for (const auto& [root, begin] : placed) ends[begin] = begin + graph_.type(root).size_bytes();
  if (ends.size() != placed.size()) return false;
  std::size_t end = 0;
  for (const auto& [begin, last] : ends) {
    if (begin < end) return false;
    end = last;
  }
  for (const auto& [root, begin] : placed) parents_[root] = {whole, begin};
  return true;
}

}  // namespace nestwright
