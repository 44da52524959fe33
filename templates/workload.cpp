#include "templates/workload.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "space/nearest_name.h"
#include "support/error.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();

const std::string& value_of(const Workload& workload, std::string_view name) {
  for (const auto& [key, value] : workload.parameters) {
    if (key == name) return value;
  }
  throw InternalError("the workload " + workload.str() + " has no parameter '" + std::string(name) + "'");
}

std::vector<std::string> parameter_names(const Operator& op) {
  std::vector<std::string> names;
  for (const OperatorParameter& parameter : op.parameters) names.push_back(parameter.name);
  return names;
}

std::string legal_values(const OperatorParameter& parameter) {
  switch (parameter.kind) {
    case OperatorParameter::Kind::kSize:
      return "a whole number from 1 to " + std::to_string(kLargestSize);
    case OperatorParameter::Kind::kFlag:
      return "0 or 1";
    case OperatorParameter::Kind::kType:
      return "float32 or float64";
  }
  throw InternalError("unknown kind of parameter");
}

/// The value as the key writes it. Throws UsageError.
std::string canonical_value(const Operator& op, const OperatorParameter& parameter, const std::string& text) {
  const auto refuse = [&]() -> std::string {
    throw UsageError(parameter.name + "=" + text + " of " + op.name + " is illegal: " + parameter.name + " (" +
                     parameter.meaning + ") is " + legal_values(parameter));
  };
  if (parameter.kind == OperatorParameter::Kind::kType) return text == "float32" || text == "float64" ? text : refuse();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return refuse();
  const bool size = parameter.kind == OperatorParameter::Kind::kSize;
  if (value < (size ? 1 : 0) || value > (size ? kLargestSize : 1)) return refuse();
  return std::to_string(value);
}

}  // namespace

std::int64_t Workload::size(std::string_view name) const { return std::stoll(value_of(*this, name)); }

bool Workload::flag(std::string_view name) const { return value_of(*this, name) == "1"; }

ir::Type Workload::type(std::string_view name) const { return ir::Type::parse(value_of(*this, name)); }

std::string Workload::str() const {
  std::string text = op;
  for (const auto& [name, value] : parameters) text += ' ' + name + '=' + value;
  return text;
}

Workload parse_workload(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string word;
  if (!(words >> word)) {
    throw UsageError("the workload is empty; write an operator and its parameters, as in matmul m=512 n=512 k=512");
  }
  const Operator& op = find_operator(word);
  const std::vector<std::string> names = parameter_names(op);
  std::vector<std::string> values(names.size());
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("'" + word + "' in the workload is no parameter; write name=value, with the parameters " +
                       join_names(names) + " of " + op.name);
    }
    const std::string name = word.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string meant = nearest_name(name, names);
      throw UsageError(op.name + " has no parameter '" + name + "'" +
                       (meant.empty() ? std::string() : "; did you mean '" + meant + "'") + "; its parameters are " +
                       join_names(names));
    }
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (!values[at].empty())
      throw UsageError("parameter '" + name + "' of " + op.name + " is given twice; give it once");
    values[at] = canonical_value(op, op.parameters[at], word.substr(equals + 1));
  }
  Workload workload{op.name, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const OperatorParameter& parameter = op.parameters[i];
    if (values[i].empty() && parameter.default_value.empty()) {
      throw UsageError("parameter '" + parameter.name + "' of " + op.name + " is missing; give " + parameter.name +
                       "=..., " + parameter.meaning + ", " + legal_values(parameter));
    }
    workload.parameters.emplace_back(names[i], values[i].empty() ? parameter.default_value : values[i]);
  }
  op.define(workload);  // which refuses tensors that are too large
  return workload;
}

}  // namespace nestwright
