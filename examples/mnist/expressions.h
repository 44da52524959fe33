// Turns a part of a graph into kernels, which are expression texts.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "graph.h"
#include "ir/core/type.h"

namespace mnist {

struct TensorType {
  nestwright::ir::Type type;
  std::vector<std::int64_t> shape;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};
using Types = std::map<Value, TensorType>;

/// `outputs` and all that they are computed from.
std::set<Value> needed_for(const Graph& graph, const std::set<Value>& outputs);

/// The types of the values `needed`, from those of the inputs. Throws nestwright::UsageError where shapes do not agree.
Types infer_types(const Graph& graph, const std::set<Value>& needed, Types inputs);

/// Computes `result` from `arguments`, which are the kernel's parameters, in this order.
struct Kernel {
  std::string expression;
  std::vector<Value> arguments;
  Value result = 0;
};

/// The kernels that compute `outputs`, in the order in which they are to run. A kernel continues with a pointwise
/// operator where nothing else reads its result: a product, a bias and relu are one kernel.
std::vector<Kernel> make_kernels(const Graph& graph, const std::set<Value>& outputs, const Types& types);

}  // namespace mnist
