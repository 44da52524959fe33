#include "cli/options/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "nestwright/error.h"

namespace nestwright::cli {

ImportOptions ModelOptions::import_options() const {
  ImportOptions options;
  for (const std::string& dim : dims) {
    const std::size_t equals = dim.rfind('=');
    const std::string name = dim.substr(0, equals);
    const std::string number = equals == std::string::npos ? "" : dim.substr(equals + 1);
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
    const bool is_number = error == std::errc() && end == number.data() + number.size();
    if (name.empty() || !is_number || extent < 1 || extent > 0x7fffffff) {
      throw UsageError(fmt::format("--dim {} is not a name and a size from 1 to 2147483647: write it as batch=1", dim));
    }
    if (!options.dims.emplace(name, extent).second) throw UsageError(fmt::format("--dim {} is given twice", name));
  }
  return options;
}

void add_model_options(Command& command, ModelOptions& options) {
  command
      .add_option("--dim", options.dims, "the size of a symbolic dimension of a model, e.g. batch=1; may be repeated")
      .value_name("NAME=N")
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
