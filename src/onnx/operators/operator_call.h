// A node of an ONNX model as the function of its operator sees it: operands, attributes, and the graph to which the
// node's expressions are added.
//
//   void relu(OperatorCall& call) { call.set_output(0, apply_pointwise(call, "max({0},0)", {call.input(0)})); }
//
// Thread rule: one thread at a time.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/evaluate.h"
#include "nestwright/error.h"
#include "nestwright/model/graph.h"
#include "onnx/model_file.h"

namespace nestwright {

/// A node that cannot become expressions: why, in one clause.
class UnsupportedNode : public UsageError {
 public:
  using UsageError::UsageError;
};

/// The name of a node, or if it has none, that of its first result.
const std::string& label_of(const ::onnx::NodeProto& node);

class OperatorCall {
 public:
  /// `inputs`: nullopt where the node leaves an optional one out. All of these must outlive the call.
  OperatorCall(const ::onnx::NodeProto& node, std::int64_t opset, const ModelFile& file, Graph& graph,
               GraphEvaluator& evaluator, std::vector<std::optional<ValueId>> inputs)
      : node_(node), opset_(opset), file_(file), graph_(graph), evaluator_(evaluator), inputs_(std::move(inputs)) {
    outputs_.resize(static_cast<std::size_t>(node.output_size()));
  }

  const std::string& op() const { return node_.op_type(); }
  /// The node's name, or that of its first result.
  const std::string& label() const { return label_of(node_); }
  std::int64_t opset() const { return opset_; }
  Graph& graph() { return graph_; }

  // Operands.

  std::size_t input_count() const { return inputs_.size(); }  ///< those at the end that are left out included
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].has_value(); }
  /// Throws UsageError if the node does not have it.
  ValueId input(std::size_t i) const;
  /// Valid until a value is added to the graph.
  const TensorType& type(std::size_t i) const { return graph_.type(input(i)); }
  const std::vector<std::int64_t>& shape(std::size_t i) const { return type(i).shape; }  ///< likewise
  std::int64_t rank(std::size_t i) const { return static_cast<std::int64_t>(type(i).shape.size()); }

  std::size_t output_count() const { return outputs_.size(); }
  /// Whether the node names this result, so that somebody may read it.
  bool has_output(std::size_t i) const { return i < outputs_.size() && !node_.output(static_cast<int>(i)).empty(); }
  void set_output(std::size_t i, ValueId value) { outputs_.at(i) = value; }
  const std::vector<std::optional<ValueId>>& outputs() const { return outputs_; }

  // Attributes. They throw UsageError for one of another kind.

  bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, const std::string& otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> otherwise) const;
  std::vector<double> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// The attribute as a constant of the graph. Throws UsageError if the node does not have it.
  ValueId tensor(std::string_view name);

  /// `integer(name, otherwise)`, an axis of a tensor of `rank` dimensions, counted from the end where it is negative.
  /// Throws UsageError if there is no such axis.
  std::int64_t axis(std::string_view name, std::int64_t otherwise, std::int64_t rank) const;
  /// The same for any number. Throws UsageError.
  std::int64_t checked_axis(std::int64_t axis, std::int64_t rank) const;
  /// The same for a list, in the order given; an axis that is there twice is refused.
  std::vector<std::int64_t> checked_axes(const std::vector<std::int64_t>& axes, std::int64_t rank) const;

  // Operands that decide shapes: they have to be constant. Throw UnsupportedNode that names the operand if they are
  // not.

  std::vector<std::int64_t> constant_integers(std::size_t i);
  double constant_number(std::size_t i);
  std::vector<double> constant_numbers(std::size_t i);
  /// The integers of input `i`, or of the attribute that it was in older opsets; nullopt if the node has neither.
  std::optional<std::vector<std::int64_t>> integers_of(std::size_t i, std::string_view attribute);

  // Expressions.

  /// Adds a node to the graph and returns its result. Throws as Graph::apply does.
  ValueId apply(std::string_view expression, const std::vector<GraphOperand>& operands) {
    return graph_.apply(op(), expression, operands, label());
  }
  std::vector<ValueId> apply_all(std::string_view expression, const std::vector<GraphOperand>& operands) {
    return graph_.apply_all(op(), expression, operands, label());
  }
  ValueId reshape(ValueId value, std::vector<std::int64_t> shape) {
    return graph_.reshape(value, std::move(shape), label());
  }
  /// A constant of integers of type int64.
  ValueId constant(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape) {
    return graph_.add_constant({kInt64, std::move(shape)}, values);
  }
  /// A constant without elements.
  ValueId empty_constant(ir::Type type, std::vector<std::int64_t> shape) {
    return graph_.add_constant({type, std::move(shape)}, std::span<const std::byte>());
  }

  /// Throws UnsupportedNode unless `condition` holds.
  void require(bool condition, const std::string& reason) const {
    if (!condition) throw UnsupportedNode(reason);
  }
  /// Throws UsageError, for a malformed model, unless `condition` holds.
  void require_valid(bool condition, const std::string& reason) const;

 private:
  const ::onnx::AttributeProto* find(std::string_view name) const;
  const ::onnx::AttributeProto* find(std::string_view name, ::onnx::AttributeProto::AttributeType type) const;

  const ::onnx::NodeProto& node_;
  std::int64_t opset_;
  const ModelFile& file_;
  Graph& graph_;
  GraphEvaluator& evaluator_;
  std::vector<std::optional<ValueId>> inputs_, outputs_;
};

}  // namespace nestwright
