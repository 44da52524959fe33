#include "cli/options/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "measure/check/elements.h"
#include "nestwright/error.h"

namespace nestwright::cli {

namespace {

/// "batch" and "1".
std::pair<std::string, std::string> split_at_equals(const std::string& option, const std::string& given) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size()) {
    throw UsageError(fmt::format("{} {} has no name and value: write it as NAME=VALUE", option, given));
  }
  return {given.substr(0, equals), given.substr(equals + 1)};
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

std::map<std::string, std::int64_t> dims_of(const ModelOptions& options) {
  std::map<std::string, std::int64_t> dims;
  for (const std::string& dim : options.dims) {
    const auto [name, text] = split_at_equals("--dim", dim);
    const std::optional<std::int64_t> extent = number_of<std::int64_t>(text);
    if (!extent || *extent < 1 || *extent > 0x7fffffff) {
      throw UsageError(fmt::format("--dim {} is not a name and a size from 1 to 2147483647: write it as batch=1", dim));
    }
    if (!dims.emplace(name, *extent).second) throw UsageError(fmt::format("--dim {} is given twice", name));
  }
  return dims;
}

/// All elements of the type with this value. Throws UsageError if the text is no number.
std::vector<std::byte> filled(const TensorType& type, const std::string& name, const std::string& text) {
  std::vector<std::byte> bytes(type.size_bytes());
  const std::optional<std::int64_t> integer = number_of<std::int64_t>(text);
  const std::optional<double> real = number_of<double>(text);
  if (!real || (!integer && !type.type.is_float())) {
    throw UsageError(fmt::format("--constant {}={} is no number of the type {}", name, text, type.type.str()));
  }
  if (type.type == kInt64) {
    for (std::size_t i = 0; i < bytes.size(); i += 8) std::memcpy(&bytes[i], &*integer, 8);
  } else {
    encode_elements(type.type, std::vector<double>(static_cast<std::size_t>(type.elements()), *real), bytes.data());
  }
  return bytes;
}

}  // namespace

ImportedModel import_model(const std::string& path, const ModelOptions& options) {
  ImportOptions import{.dims = dims_of(options)};
  ImportedModel model = import_onnx(path, import);
  if (options.constants.empty()) return model;
  for (const std::string& constant : options.constants) {
    const auto [name, text] = split_at_equals("--constant", constant);
    const auto& inputs = model.graph.inputs();
    const auto input =
        std::find_if(inputs.begin(), inputs.end(), [&name](const GraphPort& port) { return port.name == name; });
    if (input == inputs.end()) throw UsageError(fmt::format("the model has no input '{}' to be constant", name));
    const auto memory =
        std::make_shared<const std::vector<std::byte>>(filled(model.graph.type(input->value), name, text));
    if (!import.constants.emplace(name, ConstantData{*memory, memory}).second) {
      throw UsageError(fmt::format("--constant {} is given twice", name));
    }
  }
  return import_onnx(path, import);
}

void add_model_options(Command& command, ModelOptions& options) {
  command
      .add_option("--dim", options.dims, "the size of a symbolic dimension of a model, e.g. batch=1; may be repeated")
      .value_name("NAME=N")
      .one_value_each();
  command
      .add_option("--constant", options.constants,
                  "the value of an input of a model that is the same in every run, e.g. sr=16000; may be repeated")
      .value_name("NAME=VALUE")
      .one_value_each();
}

bool is_model(const CommonOptions& common) {
  return common.expression.empty() && !common.workload.empty() && common.workload.front().ends_with(".onnx");
}

std::string model_path(const CommonOptions& common) {
  if (common.workload.size() > 1) {
    throw UsageError(
        fmt::format("'{}' follows the name of a model: give symbolic sizes with --dim NAME=N", common.workload[1]));
  }
  return common.workload.front();
}

std::string missing_operators_text(const ImportedModel& model) {
  std::vector<std::string> missing;
  for (const MissingOperator& op : model.missing) {
    missing.push_back(fmt::format("{} ({}x: {})", op.op, op.nodes, op.reason));
  }
  return fmt::format("operators of the model are missing: {}; {} nodes depend on them", fmt::join(missing, ", "),
                     model.unreached);
}

void note_missing_operators(const ImportedModel& model) {
  if (!model.missing.empty()) note(printable("nestwright: " + missing_operators_text(model)) + "\n");
}

}  // namespace nestwright::cli
