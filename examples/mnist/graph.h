// A graph of operators, its differentiation, and its kernels.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nestwright/type.h>

namespace mnist {

/// How the gradient of an input is computed: an operator, and a letter for each of its inputs. A, B, C are the inputs
/// of the differentiated node, Y is its value and G the gradient of Y. Without an operator, the gradient is G itself;
/// without letters, there is none.
struct GradientRule {
  std::string_view op, letters;
};

struct Operator {
  std::string_view name;
  std::string_view text;  ///< an expression (docs/expressions.md) of Y; capitals are tensors, ~ all indices of A
  bool is_pointwise;      ///< Y[i, j] needs of A only A[i, j]: the kernel that computes A can continue with it
  std::vector<GradientRule> gradients = {};  ///< one for each input, or none
};

/// Throws nestwright::UsageError where there is none of that name.
const Operator& find_operator(std::string_view name);

/// The number of a node, which stands for the node's value. It is larger than those of the node's inputs.
using Value = std::size_t;

struct Node {
  const Operator* op = nullptr;  ///< nullptr: an input of the graph
  std::vector<Value> inputs = {};
};

struct Graph {
  std::vector<Node> nodes;
  Value input() { return nodes.emplace_back(), nodes.size() - 1; }
  Value apply(std::string_view op, std::vector<Value> inputs) {
    return nodes.push_back({&find_operator(op), std::move(inputs)}), nodes.size() - 1;
  }
};

/// Adds the gradients of `result` with respect to `inputs`, in reverse mode; `seed` is the gradient of the result
/// itself. Throws nestwright::UsageError where an operator has no rule, or the result does not depend on an input.
std::vector<Value> add_gradients(Graph& graph, Value result, Value seed, const std::vector<Value>& inputs);

struct TensorType {
  nestwright::ir::Type type;
  std::vector<std::int64_t> shape;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};
using Types = std::map<Value, TensorType>;

/// Computes `result` from `arguments`, which are the kernel's parameters, in this order.
struct Kernel {
  std::string expression;
  std::vector<Value> arguments;
  Value result = 0;
};

/// The kernels that compute `outputs`, in the order in which they are to run. A kernel continues with a pointwise
/// operator where nothing else reads its result: a product, a bias and relu are one kernel. `types` has those of the
/// graph's inputs; those of all values that are computed are added. Throws nestwright::UsageError where shapes do not
/// agree.
std::vector<Kernel> make_kernels(const Graph& graph, const std::set<Value>& outputs, Types& types);

}  // namespace mnist
