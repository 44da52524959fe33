// Graphs of tensor expressions: what a model computes, before its kernels are chosen.
//
//   Graph graph;
//   const ValueId x = graph.add_input("x", {kFloat32, {8, 64}});
//   const ValueId w = graph.add_constant({kFloat32, {64, 10}}, weights);
//   const ValueId y = graph.apply("MatMul", "Y[i, j] = sum(k, X[i, k] * W[k, j])", {{"X", x}, {"W", w}});
//   graph.add_output("y", graph.apply("Relu", "Y[i, j] = max(X[i, j], 0)", {{"X", y}}));
//
// Thread rule: a graph is a value; one thread changes it, or any number read it. Shapes are in elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/type.h"

namespace nestwright::text {

struct Program;  // a checked expression

}  // namespace nestwright::text

#pragma GCC visibility push(default)

namespace nestwright {

/// The elements and the extents of a tensor, outermost first. Rank 0 has one element; an extent may be 0 where a
/// constant has no elements.
struct TensorType {
  ir::Type type;
  std::vector<std::int64_t> shape;

  std::int64_t elements() const;
  std::size_t size_bytes() const {
    return static_cast<std::size_t>(elements()) * static_cast<std::size_t>(type.bytes());
  }
  std::string str() const;  ///< float32[1, 64, 56, 56]
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// The number of a value: its index in Graph::values().
using ValueId = std::size_t;

/// Memory that a constant's elements lie in, compact and row-major, and what keeps it alive.
struct ConstantData {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< null: the memory outlives the graph
};

struct GraphValue {
  std::string name;  ///< for people; may be empty, and need not be unique
  TensorType type;
  std::optional<std::size_t> node = {};   ///< that computes it; absent for inputs and stored constants
  std::optional<ConstantData> data = {};  ///< of a stored constant
  bool is_constant = false;               ///< stored, or computed from constants alone
};

/// A node computes its outputs by an expression, or is a view: its output is the memory of its input in another shape.
struct GraphNode {
  std::string op;                                ///< of the model, for people: "Conv"
  std::string label;                             ///< of the model, for people: "/layer1/conv1/Conv"; may be empty
  std::shared_ptr<const text::Program> program;  ///< null: a view
  std::vector<ValueId> inputs;                   ///< the program's inputs, in its order
  std::vector<ValueId> outputs;                  ///< likewise

  bool is_view() const { return program == nullptr; }
};

/// A tensor that an expression reads by this name.
struct GraphOperand {
  std::string_view name;
  ValueId value;
};

/// A value under the name by which callers of the graph pass it.
struct GraphPort {
  std::string name;
  ValueId value;
};

/// Nodes are in an order in which they can be computed: each reads inputs, constants and outputs of earlier nodes.
class Graph {
 public:
  ValueId add_input(std::string name, TensorType type);
  /// Copies the elements. Throws UsageError if there are not as many as the type says.
  ValueId add_constant(TensorType type, std::span<const std::byte> elements, std::string name = {});
  /// Keeps the elements where they are.
  ValueId add_constant(TensorType type, ConstantData data, std::string name = {});
  template <class T>
  ValueId add_constant(TensorType type, const std::vector<T>& elements, std::string name = {}) {
    return add_constant(std::move(type), std::as_bytes(std::span(elements)), std::move(name));
  }

  /// Adds a node whose expression (docs/expressions.md) has one result, and returns that. The types and shapes of the
  /// operands are declared for it. Throws UsageError that shows the expression if it is malformed, if it does not read
  /// an operand, or if it reads another tensor.
  ValueId apply(std::string op, std::string_view expression, const std::vector<GraphOperand>& operands,
                std::string label = {});
  /// The same for any number of results, in the order of their statements.
  std::vector<ValueId> apply_all(std::string op, std::string_view expression, const std::vector<GraphOperand>& operands,
                                 std::string label = {});
  /// Adds a node that was checked. Requires that the program's parameters have the types of `inputs`.
  std::vector<ValueId> add_node(GraphNode node);
  /// A view in another shape. Throws UsageError if that has another number of elements.
  ValueId reshape(ValueId value, std::vector<std::int64_t> shape, std::string label = {});

  /// Names a value for callers; several outputs may be the same value.
  void add_output(std::string name, ValueId value);
  void set_name(ValueId value, std::string name) { values_[value].name = std::move(name); }

  const std::vector<GraphValue>& values() const { return values_; }
  const GraphValue& value(ValueId id) const { return values_[id]; }
  const TensorType& type(ValueId id) const { return values_[id].type; }
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<GraphPort>& inputs() const { return inputs_; }
  const std::vector<GraphPort>& outputs() const { return outputs_; }

  /// The expression of a node that is not a view, canonical with its sizes: what a tuning task is named by.
  std::string expression_of(const GraphNode& node) const;

 private:
  std::vector<GraphValue> values_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphPort> inputs_, outputs_;
};

}  // namespace nestwright

#pragma GCC visibility pop
