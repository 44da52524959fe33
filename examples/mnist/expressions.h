// Turns a graph into kernels, which are expression texts.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "graph.h"
#include "ir/core/type.h"

namespace mnist {

struct TensorType {
  nestwright::ir::Type type;
  std::vector<std::int64_t> shape;

  std::size_t bytes() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// The types of all values, from those of the graph's inputs. Throws nestwright::UsageError where shapes do not agree.
std::vector<TensorType> infer_types(const Graph& graph, const std::map<Value, TensorType>& inputs);

/// Computes `result` from `arguments`, which are the kernel's parameters, in this order.
struct Kernel {
  std::string expression;
  std::vector<Value> arguments;
  Value result = 0;
};

/// The kernels of a graph, in the order in which they are to run. A kernel continues with the nodes that are applied to
/// its elements where nothing else reads these: a product, a bias and relu are one kernel.
std::vector<Kernel> make_kernels(const Graph& graph, const std::vector<TensorType>& types);

}  // namespace mnist
