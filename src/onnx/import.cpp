#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "nestwright/error.h"
#include "nestwright/model/onnx.h"
#include "onnx/model_file.h"
#include "onnx/operators/operators.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::ValueInfoProto;

/// The names that a graph or subgraph defines; nullopt: something that Nestwright does not compute.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  void define(const std::string& name, std::optional<ValueId> value) { values_[name] = value; }
  /// nullptr if nothing defines the name.
  const std::optional<ValueId>* find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found != values_.end()) return &found->second;
    return outer_ == nullptr ? nullptr : outer_->find(name);
  }

 private:
  const Scope* outer_;
  std::map<std::string, std::optional<ValueId>> values_;
};

bool is_own_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

class Importer {
 public:
  Importer(std::shared_ptr<const ModelFile> file, const ImportOptions& options)
      : file_(std::move(file)), options_(options), evaluator_(model_.graph) {}

  ImportedModel run() {
    model_.producer = file_->proto().producer_name();
    model_.opset = own_opset();
    const GraphProto& graph = file_->proto().graph();
    Scope scope;
    add_initializers(graph, scope);
    add_inputs(graph, scope);
    add_nodes(graph, scope);
    for (const ValueInfoProto& output : graph.output()) {
      const auto* value = scope.find(output.name());
      if (value == nullptr) {
        throw UsageError(fmt::format("the model's output '{}' is computed by no node", output.name()));
      }
      if (const auto type = unsupported_.find(output.name()); type != unsupported_.end()) {
        throw UsageError(fmt::format("the model's output '{}' is not computed: {}", output.name(), type->second));
      }
      if (*value) model_.graph.add_output(output.name(), **value);
      if (!*value) report_unset(output.name());
    }
    return std::move(model_);
  }

 private:
  std::int64_t own_opset() const {
    std::int64_t opset = 0;
    for (const auto& import : file_->proto().opset_import()) {
      if (is_own_domain(import.domain())) opset = import.version();
    }
    if (opset == 0) throw UsageError("the model does not say which opset of ONNX it is of");
    if (opset < kOldestOpset || opset > kNewestOpset) {
      const bool is_old = opset < kOldestOpset;
      throw UsageError(
          fmt::format("the model is of ONNX's opset {}; opsets {} are read: convert it with onnx's "
                      "version_converter",
                      opset, is_old ? fmt::format("from {} on", kOldestOpset) : fmt::format("up to {}", kNewestOpset)));
    }
    return opset;
  }

  void add_initializers(const GraphProto& graph, Scope& scope) {
    for (const auto& tensor : graph.initializer()) {
      define_if_supported(tensor.name(), scope, [&] {
        StoredTensor stored = file_->tensor(tensor);
        return model_.graph.add_constant(std::move(stored.type), std::move(stored.data), tensor.name());
      });
    }
  }

  /// Defines the tensor that `add` adds to the graph; nothing if its element type is not supported, of which the nodes
  /// that read it are told.
  template <class F>
  void define_if_supported(const std::string& name, Scope& scope, const F& add) {
    try {
      scope.define(name, add());
    } catch (const UnsupportedType& error) {
      scope.define(name, std::nullopt);
      unsupported_[name] = error.what();
    }
  }

  void add_inputs(const GraphProto& graph, Scope& scope) {
    std::set<std::string> unused;
    for (const auto& [dim, extent] : options_.dims) unused.insert(dim);
    std::vector<std::string> unknown;
    for (const ValueInfoProto& input : graph.input()) {
      if (scope.find(input.name()) != nullptr) continue;  // an initializer, in files of old writers
      define_if_supported(input.name(), scope, [&]() -> std::optional<ValueId> {
        const std::optional<TensorType> type = input_type(input, unused, unknown);
        if (!type) return std::nullopt;
        const auto constant = options_.constants.find(input.name());
        return constant == options_.constants.end() ? model_.graph.add_input(input.name(), *type)
                                                    : model_.graph.add_constant(*type, constant->second, input.name());
      });
    }
    for (const auto& [name, data] : options_.constants) {
      const auto is_named = [&name](const ValueInfoProto& input) { return input.name() == name; };
      if (std::none_of(graph.input().begin(), graph.input().end(), is_named)) {
        throw UsageError(fmt::format("the model has no input '{}' to be constant", name));
      }
    }
    if (!unknown.empty()) {
      throw UsageError(fmt::format("the model has symbolic sizes: give each, as in --dim {}=1 ({})", unknown.front(),
                                   fmt::join(unknown, ", ")));
    }
    if (!unused.empty()) {
      throw UsageError(fmt::format("no input of the model has a symbolic size '{}'", *unused.begin()));
    }
  }

  /// Throws UsageError unless the input may have the shape. Extents of 0 are those of constants.
  static void require_shape(const ValueInfoProto& input, const TensorType& type) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    std::int64_t elements = 1;
    for (const std::int64_t extent : type.shape) {
      if (extent > kMost || elements * extent > kMost) {
        throw UsageError(fmt::format("the input '{}' has the shape [{}]; tensors have at most {} elements",
                                     input.name(), fmt::join(type.shape, ", "), kMost));
      }
      elements *= extent;
    }
  }

  /// nullopt if an extent is not known: its name is added to `unknown`.
  std::optional<TensorType> input_type(const ValueInfoProto& input, std::set<std::string>& unused,
                                       std::vector<std::string>& unknown) const {
    if (!input.type().has_tensor_type()) {
      throw UsageError(fmt::format("the model's input '{}' is no tensor", input.name()));
    }
    const auto& tensor = input.type().tensor_type();
    TensorType type;
    bool is_known = true;
    for (int d = 0; d < tensor.shape().dim_size(); ++d) {
      const auto& dim = tensor.shape().dim(d);
      if (dim.has_dim_value() && dim.dim_value() > 0) {
        type.shape.push_back(dim.dim_value());
        continue;
      }
      // An extent without a name, or of 0 or -1 as some writers have it, or "?" as Paddle has it, is called by its
      // place.
      const bool is_named = !dim.dim_param().empty() && dim.dim_param() != "?";
      const std::string name = is_named ? dim.dim_param() : fmt::format("{}.{}", input.name(), d);
      unused.erase(name);
      const auto given = options_.dims.find(name);
      is_known = is_known && given != options_.dims.end();
      if (given != options_.dims.end()) {
        if (given->second < 0 || given->second > std::numeric_limits<std::int32_t>::max()) {
          throw UsageError(fmt::format("the size of '{}' is {}, which is no size", name, given->second));
        }
        type.shape.push_back(given->second);
      } else if (std::find(unknown.begin(), unknown.end(), name) == unknown.end()) {
        unknown.push_back(name);
      }
    }
    if (!is_known) return std::nullopt;
    type.type = element_type(tensor.elem_type(), "the input '" + input.name() + "'");
    require_shape(input, type);
    return type;
  }

  void add_nodes(const GraphProto& graph, Scope& scope) {
    for (const NodeProto& node : graph.node()) {
      ++model_.nodes;
      add_node(node, scope);
    }
  }

  void add_node(const NodeProto& node, Scope& scope) {
    std::vector<std::optional<ValueId>> inputs;
    bool is_reached = true;
    for (const std::string& name : node.input()) {
      const auto* value = name.empty() ? nullptr : scope.find(name);
      if (!name.empty() && value == nullptr) {
        throw UsageError(fmt::format("the node '{}' ({}) reads '{}', which nothing computes before it", label_of(node),
                                     node.op_type(), name));
      }
      is_reached = is_reached && (name.empty() || value->has_value());
      if (const auto type = unsupported_.find(name); type != unsupported_.end()) {
        return leave_out(node, type->second, scope);
      }
      if (!name.empty() && !value->has_value()) report_unset(name);
      inputs.push_back(name.empty() ? std::nullopt : *value);
    }
    if (!is_reached) {
      ++model_.unreached;
      for (const std::string& output : node.output()) scope.define(output, std::nullopt);
      return;
    }
    const auto require_valid = [&](bool condition, const char* reason) {
      if (condition) return;
      throw UsageError(fmt::format("the node '{}' ({}) is malformed: {}", label_of(node), node.op_type(), reason));
    };
    require_valid(node.output_size() > 0, "it has no results");
    try {
      if (node.op_type() == "If" && is_own_domain(node.domain())) {
        require_valid(!inputs.empty() && inputs[0], "input 0 is missing");
        return follow_branch(node, *inputs[0], scope);
      }
      OperatorCall call(node, model_.opset, *file_, model_.graph, evaluator_, std::move(inputs));
      find(node).make(call);
      define_outputs(node, call.outputs(), scope);
    } catch (const UnsupportedNode& error) {
      leave_out(node, error.what(), scope);
    } catch (const UnsupportedType& error) {  // of an attribute
      leave_out(node, error.what(), scope);
    } catch (const text::ExpressionError& error) {  // more than 8 dimensions, or operands of types that differ
      leave_out(node, fmt::format("its {}", error.what()), scope);
    } catch (const UsageError& error) {
      if (std::string_view(error.what()).starts_with("the node '")) throw;
      throw UsageError(fmt::format("the node '{}' ({}): {}", label_of(node), node.op_type(), error.what()));
    }
  }

  /// Lists an operator as missing that does not compute a result that is needed.
  void report_unset(const std::string& name) {
    const auto unset = unset_.find(name);
    if (unset == unset_.end()) return;
    const NodeProto& node = *unset->second;
    const auto at = std::find(node.output().begin(), node.output().end(), name) - node.output().begin();
    add_missing(node, fmt::format("its result {} is not supported", at + 1));
    unset_.erase(unset);
  }

  const OnnxOperator& find(const NodeProto& node) const {
    const OnnxOperator* const op = is_own_domain(node.domain()) ? find_operator(node.op_type(), model_.opset) : nullptr;
    if (op == nullptr) throw UnsupportedNode("Nestwright does not have it");
    for (const auto& attribute : node.attribute()) {
      const auto& known = op->attributes;
      if (std::find(known.begin(), known.end(), attribute.name()) == known.end()) {
        throw UnsupportedNode(fmt::format("the attribute {} is not supported", attribute.name()));
      }
    }
    return *op;
  }

  void define_outputs(const NodeProto& node, const std::vector<std::optional<ValueId>>& values, Scope& scope) {
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const std::optional<ValueId> value = values[static_cast<std::size_t>(i)];
      scope.define(node.output(i), value);
      if (!value) unset_[node.output(i)] = &node;
      if (value && model_.graph.value(*value).name.empty()) model_.graph.set_name(*value, node.output(i));
    }
  }

  /// The nodes of the branch that a constant condition takes.
  void follow_branch(const NodeProto& node, ValueId condition, Scope& scope) {
    if (!model_.graph.type(condition).type.is_bool()) {
      throw UsageError(fmt::format("the condition of '{}' is no truth value", label_of(node)));
    }
    if (!model_.graph.value(condition).is_constant) throw UnsupportedNode("its condition is not constant");
    const std::vector<std::int64_t> values = evaluator_.integers(condition);
    if (values.size() != 1) throw UsageError(fmt::format("the condition of '{}' is no scalar", label_of(node)));
    const char* const wanted = values[0] != 0 ? "then_branch" : "else_branch";
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() != wanted) continue;
      const GraphProto& branch = attribute.g();
      if (branch.output_size() != node.output_size()) {
        throw UsageError(fmt::format("a branch of '{}' has {} results, not {}", label_of(node), branch.output_size(),
                                     node.output_size()));
      }
      Scope inner(&scope);
      add_initializers(branch, inner);
      add_nodes(branch, inner);
      for (int i = 0; i < branch.output_size(); ++i) {
        const auto* value = inner.find(branch.output(i).name());
        if (value == nullptr) {
          throw UsageError(fmt::format("the result '{}' of a branch is computed by no node", branch.output(i).name()));
        }
        scope.define(node.output(i), *value);
      }
      return;
    }
    throw UsageError(fmt::format("the node '{}' has no {}", label_of(node), wanted));
  }

  void leave_out(const NodeProto& node, const std::string& reason, Scope& scope) {
    add_missing(node, reason);
    for (const std::string& output : node.output()) scope.define(output, std::nullopt);
  }

  void add_missing(const NodeProto& node, const std::string& reason) {
    const std::string op = is_own_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
    for (MissingOperator& missing : model_.missing) {
      if (missing.op != op || missing.reason != reason) continue;
      ++missing.nodes;
      return;
    }
    model_.missing.push_back({op, reason, 1});
  }

  std::shared_ptr<const ModelFile> file_;
  const ImportOptions& options_;
  ImportedModel model_;
  GraphEvaluator evaluator_;
  std::map<std::string, std::string> unsupported_;  ///< tensors of the file, with what their element types are
  std::map<std::string, const NodeProto*> unset_;   ///< results that their nodes do not compute, and nothing has read
};

}  // namespace

ImportedModel import_onnx(const std::string& path, const ImportOptions& options) {
  return Importer(ModelFile::load(path), options).run();
}

}  // namespace nestwright
