#include "tests/onnx/node_case.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <regex>
#include <vector>

#include "graph/evaluate.h"
#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "nestwright/model/onnx.h"
#include "onnx/model_file.h"
#include "onnx/operators/operators.h"

namespace nestwright::testing {
namespace {

namespace fs = std::filesystem;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

bool is_own_type(int data_type) {
  switch (data_type) {
    case TensorProto::FLOAT:
    case TensorProto::DOUBLE:
    case TensorProto::FLOAT16:
    case TensorProto::INT8:
    case TensorProto::INT16:
    case TensorProto::INT32:
    case TensorProto::INT64:
    case TensorProto::UINT8:
    case TensorProto::UINT16:
    case TensorProto::UINT32:
    case TensorProto::UINT64:
    case TensorProto::BOOL:
      return true;
    default:
      return false;
  }
}

bool has_other_types(const ::onnx::GraphProto& graph) {
  const auto is_other = [](const ValueInfoProto& value) {
    if (!value.has_type()) return false;  // an output may leave it to the reader
    const auto& type = value.type();
    return !type.has_tensor_type() || !is_own_type(type.tensor_type().elem_type());
  };
  return std::any_of(graph.input().begin(), graph.input().end(), is_other) ||
         std::any_of(graph.output().begin(), graph.output().end(), is_other);
}

/// A tensor of test data; absent if an optional input or output is left out.
std::optional<Array> read_tensor(const ModelFile& model, const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  TensorProto proto;
  if (!file || !proto.ParseFromIstream(&file)) return std::nullopt;
  const StoredTensor stored = model.tensor(proto);
  Array array = Array::empty(stored.type.type, stored.type.shape);
  if (array.size_bytes() > 0) array.copy_from(stored.data.bytes);
  return array;
}

using Tensors = std::vector<std::optional<Array>>;

Tensors read_tensors(const ModelFile& model, const fs::path& folder, const std::string& kind, int count) {
  Tensors tensors;
  for (int i = 0; i < count; ++i) tensors.push_back(read_tensor(model, folder / fmt::format("{}_{}.pb", kind, i)));
  return tensors;
}

std::string str(const Array& array) { return TensorType{array.type(), array.shape()}.str(); }

/// What differs; empty: nothing.
std::string difference(const Array& actual, const Array& expected) {
  if (actual.type() != expected.type() || actual.shape() != expected.shape()) {
    return fmt::format("is {}, not {}", str(actual), str(expected));
  }
  std::int64_t wrong = 0;
  std::string first;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const double value = element_at(actual.type(), actual.data(), i);
    const double wanted = element_at(expected.type(), expected.data(), i);
    const bool is_number = std::isfinite(value) && std::isfinite(wanted) && expected.type().is_float();
    bool is_equal = value == wanted || (std::isnan(value) && std::isnan(wanted));
    if (is_number) is_equal = std::abs(value - wanted) <= kAbsolute + kRelative * std::abs(wanted);
    if (expected.type().bytes() == 8 && expected.type().is_int()) {
      const auto at = static_cast<std::size_t>(i);
      is_equal = actual.as<std::int64_t>()[at] == expected.as<std::int64_t>()[at];
    }
    if (is_equal) continue;
    if (wrong++ == 0) first = fmt::format("element {} is {}, not {}", i, value, wanted);
  }
  return wrong == 0 ? "" : fmt::format("{} of {} elements differ: {}", wrong, expected.elements(), first);
}

/// Which inputs are bound as constants.
enum class Bound : std::uint8_t { kNone, kSmall, kAllButFirst };

ImportOptions options_of(const ::onnx::GraphProto& graph, const Tensors& inputs, Bound bound) {
  ImportOptions options;
  for (int i = 0; i < graph.input_size(); ++i) {
    const auto& tensor = inputs[static_cast<std::size_t>(i)];
    if (!tensor) continue;
    const ValueInfoProto& input = graph.input(i);
    const auto& declared = input.type().tensor_type().shape();
    for (int d = 0; d < declared.dim_size(); ++d) {
      const auto& dim = declared.dim(d);
      if (dim.has_dim_value() && dim.dim_value() > 0) continue;
      const bool is_named = !dim.dim_param().empty() && dim.dim_param() != "?";
      const std::string name = is_named ? dim.dim_param() : fmt::format("{}.{}", input.name(), d);
      options.dims[name] = tensor->shape().at(static_cast<std::size_t>(d));
    }
    const bool is_small = tensor->type().is_int() || tensor->type().is_bool() || tensor->elements() == 1;
    const bool is_bound = bound == Bound::kAllButFirst ? i > 0 : bound == Bound::kSmall && is_small;
    if (tensor->elements() > 0 && !is_bound) continue;
    const auto* const bytes = static_cast<const std::byte*>(tensor->data());
    options.constants[input.name()] = {{bytes, tensor->size_bytes()}, nullptr};
  }
  return options;
}

std::string reasons(const ImportedModel& model) {
  std::string text;
  for (const MissingOperator& missing : model.missing) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", missing.op, missing.reason);
  }
  return text;
}

bool needs_constants(const ImportedModel& model) {
  return reasons(model).find("is not constant") != std::string::npos ||
         reasons(model).find("is not a constant") != std::string::npos;
}

/// A copy of a model whose opset is older than what is read, in the oldest that is. Only operators whose meaning has
/// not changed since are tested in such opsets: Not.
class RaisedOpset {
 public:
  explicit RaisedOpset(const ModelFile& file) {
    ::onnx::ModelProto model = file.proto();
    for (auto& import : *model.mutable_opset_import()) {
      if (import.domain().empty() && import.version() < kOldestOpset) import.set_version(kOldestOpset);
    }
    std::ofstream copy(path_, std::ios::binary);
    model.SerializeToOstream(&copy);
  }
  RaisedOpset(const RaisedOpset&) = delete;
  RaisedOpset& operator=(const RaisedOpset&) = delete;
  ~RaisedOpset() { fs::remove(path_); }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / fmt::format("nestwright-node-test-{}.onnx", getpid());
};

bool is_older(const ModelFile& file) {
  const auto& imports = file.proto().opset_import();
  return std::any_of(imports.begin(), imports.end(),
                     [](const auto& import) { return import.domain().empty() && import.version() < kOldestOpset; });
}

CaseResult run_set(const ModelFile& file, const fs::path& model_path, const fs::path& set) {
  const ::onnx::GraphProto& graph = file.proto().graph();
  const Tensors inputs = read_tensors(file, set, "input", graph.input_size());
  const Tensors outputs = read_tensors(file, set, "output", graph.output_size());
  ImportedModel model = import_onnx(model_path, options_of(graph, inputs, Bound::kNone));
  for (const Bound bound : {Bound::kSmall, Bound::kAllButFirst}) {
    if (needs_constants(model)) model = import_onnx(model_path, options_of(graph, inputs, bound));
  }
  if (!model.missing.empty()) return {"", CaseOutcome::kUnsupported, reasons(model)};

  GraphEvaluator evaluator(model.graph);
  for (const GraphPort& port : model.graph.inputs()) {
    for (int i = 0; i < graph.input_size(); ++i) {
      const auto& tensor = inputs[static_cast<std::size_t>(i)];
      if (graph.input(i).name() != port.name || !tensor) continue;
      Array copy = Array::empty(tensor->type(), tensor->shape());
      copy.copy_from({static_cast<const std::byte*>(tensor->data()), tensor->size_bytes()});
      evaluator.set(port.value, std::make_shared<const Array>(std::move(copy)));
    }
  }
  for (int i = 0; i < graph.output_size(); ++i) {
    const auto& expected = outputs[static_cast<std::size_t>(i)];
    if (!expected) continue;
    const auto port = std::find_if(model.graph.outputs().begin(), model.graph.outputs().end(),
                                   [&](const GraphPort& output) { return output.name == graph.output(i).name(); });
    if (port == model.graph.outputs().end()) {
      return {"", CaseOutcome::kUnsupported, fmt::format("there is no output '{}'", graph.output(i).name())};
    }
    const std::string what = difference(*evaluator.get(port->value), *expected);
    if (!what.empty()) return {"", CaseOutcome::kWrong, fmt::format("'{}': {}", graph.output(i).name(), what)};
  }
  return {"", CaseOutcome::kPassed, ""};
}

std::string first_operator(const ModelFile& file) {
  for (const auto& node : file.proto().graph().node()) {
    if (node.domain().empty() || node.domain() == "ai.onnx") return node.op_type();
  }
  return "other domains";
}

/// One line of bounded length.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() > 400 ? text.substr(0, 400) + "..." : text;
}

}  // namespace

std::string operator_of_case(const fs::path& folder) {
  static const std::regex expanded("_expanded(_ver\\d+)?$");
  const std::string name = folder.filename();
  const fs::path whole = folder.parent_path() / std::regex_replace(name, expanded, "");
  const bool is_expanded = whole != folder && fs::exists(whole);
  const std::string op = first_operator(*ModelFile::load((is_expanded ? whole : folder) / "model.onnx"));
  return is_expanded ? op + " (expanded)" : op;
}

CaseResult run_case(const fs::path& folder) {
  const fs::path model_path = folder / "model.onnx";
  CaseResult result{"", CaseOutcome::kPassed, ""};
  try {
    const auto file = ModelFile::load(model_path);
    if (has_other_types(file->proto().graph())) {
      result.outcome = CaseOutcome::kOtherTypes;
    } else {
      std::optional<RaisedOpset> raised;
      if (is_older(*file)) raised.emplace(*file);
      for (int set = 0; result.outcome == CaseOutcome::kPassed; ++set) {
        const fs::path data = folder / fmt::format("test_data_set_{}", set);
        if (!fs::exists(data)) break;
        result = run_set(*file, raised ? raised->path() : model_path, data);
      }
    }
    result.op = operator_of_case(folder);
  } catch (const UsageError& error) {
    result = {operator_of_case(folder), CaseOutcome::kUnsupported, error.what()};
  } catch (const std::exception& error) {
    result = {operator_of_case(folder), CaseOutcome::kWrong, error.what()};
  }
  result.reason = one_line(result.reason);
  return result;
}

}  // namespace nestwright::testing
