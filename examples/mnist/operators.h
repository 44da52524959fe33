// The operators of the network, which are expressions, and the differentiation of graphs that consist of them.
// Thread rule: one thread at a time per graph.
#pragma once

#include <string_view>
#include <vector>

#include <nestwright/model/graph.h>

namespace mnist {

using nestwright::Graph;
using nestwright::ValueId;

/// How the gradient of an operand is computed: an operator, and a letter for each of its operands. A, B, C are the
/// operands of the differentiated node, Y is its value and G the gradient of Y. Without an operator, the gradient is G
/// itself; without letters, there is none.
struct GradientRule {
  std::string_view op, letters;
};

struct Operator {
  std::string_view name;
  /// An expression (docs/expressions.md) of Y. Its operands are A, B, C, and occur first in this order, which is that
  /// of GraphNode::inputs. ~ stands for all indices of A, at most two.
  std::string_view text;
  std::vector<GradientRule> gradients = {};  ///< one for each operand, or none
};

/// Throws nestwright::UsageError if there is none of that name.
const Operator& find_operator(std::string_view name);

/// Adds a node, whose GraphNode::op is the name. Throws nestwright::UsageError if the shapes of operands do not agree.
ValueId apply(Graph& graph, std::string_view name, const std::vector<ValueId>& operands);

/// Adds the gradients of `result` with respect to `inputs`, in reverse mode; `seed` is the gradient of the result
/// itself. Throws nestwright::UsageError if an operator has no rule, or the result does not depend on an input.
std::vector<ValueId> add_gradients(Graph& graph, ValueId result, ValueId seed, const std::vector<ValueId>& inputs);

}  // namespace mnist
