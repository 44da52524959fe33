// Which values of a graph lie in each other's memory: views, parts of tensors, tensors that follow each other in a
// larger one, and results that take the place of an operand.
//
// Thread rule: one thread at a time. Offsets are in bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// The bytes of a value: those from `offset` on of the memory of `root`.
struct ValueStorage {
  ValueId root = 0;
  std::size_t offset = 0;
};

class StorageMap {
 public:
  /// Finds the storage of views, parts and concatenations.
  explicit StorageMap(const Graph& graph);

  ValueStorage of(ValueId value) const;
  /// Whether a node has nothing to do, because its results lie in its inputs, or its inputs in its result.
  bool is_free(std::size_t node) const { return is_free_[node]; }
  /// Lets a result, which has storage of its own, lie where `operand` does.
  void share(ValueId result, ValueId operand) { parents_[result] = {operand, 0}; }

 private:
  bool is_kernel_result(ValueId value) const;
  bool place_part(const GraphNode& node);
  bool place_concatenation(const GraphNode& node);

  const Graph& graph_;
  std::vector<bool> is_free_, is_output_;
  std::map<ValueId, ValueStorage> parents_;  ///< the value that a value lies in; roots have none
};

}  // namespace nestwright
