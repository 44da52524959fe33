#include "nestwright/workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "space/nearest_name.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxDimensions = 8;
constexpr std::string_view kSpaces = " \t\n\v\f\r";

const std::string& value_of(const Workload& workload, std::string_view name) {
  for (const ParameterValue& parameter : workload.parameters) {
    if (parameter.name == name) return parameter.value;
  }
  throw InternalError("the workload " + workload.str() + " has no parameter '" + std::string(name) + "'");
}

std::vector<std::string> parameter_names(const Operator& op) {
  std::vector<std::string> names;
  for (const OperatorParameter& parameter : op.parameters) names.push_back(parameter.name);
  return names;
}

/// "a", "a or b", "a, b or c".
std::string either(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

const std::vector<std::string>& names_of(const OperatorParameter& parameter) {
  static const std::vector<std::string> types{"float32", "float64"};
  const bool usual_types = parameter.kind == OperatorParameter::Kind::kType && parameter.choices.empty();
  return usual_types ? types : parameter.choices;
}

std::string legal_values(const OperatorParameter& parameter) {
  switch (parameter.kind) {
    case OperatorParameter::Kind::kSize:
      return "an integer from 1 to " + std::to_string(kMaxSize);
    case OperatorParameter::Kind::kCount:
      return "an integer from 0 to " + std::to_string(kMaxSize);
    case OperatorParameter::Kind::kFlag:
      return "0 or 1";
    case OperatorParameter::Kind::kType:
    case OperatorParameter::Kind::kChoice:
      return either(names_of(parameter));
    case OperatorParameter::Kind::kNumber:
      return "a finite number, such as 0.5 or -1e-3";
    case OperatorParameter::Kind::kShape:
      return "one to eight extents from 1, together at most " + std::to_string(kMaxSize) + ", such as 64x56x56";
    case OperatorParameter::Kind::kAxes:
      return "one to eight different numbers of dimensions from 0 to 7, such as 0 or 1,2";
  }
  throw InternalError("unknown kind of parameter");
}

/// The whole text as a number; nullopt if it is not one.
template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Integers between separators; nullopt if the text is something else or has more than kMaxDimensions of them.
std::optional<std::vector<std::int64_t>> parse_list(const std::string& text, char separator) {
  std::vector<std::int64_t> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const auto value = parse_number<std::int64_t>(text.substr(at, end - at));
    if (!value || values.size() == kMaxDimensions) return std::nullopt;
    values.push_back(*value);
    at = end + 1;
  }
  return values;
}

std::string join(const std::vector<std::int64_t>& values, char separator) {
  std::string text;
  for (const std::int64_t value : values)
    text += (text.empty() ? "" : std::string(1, separator)) + std::to_string(value);
  return text;
}

bool is_shape(const std::vector<std::int64_t>& extents) {
  std::int64_t room = kMaxSize;
  for (const std::int64_t extent : extents) {
    if (extent < 1 || extent > room) return false;
    room /= extent;
  }
  return true;
}

/// The shortest text that reads back as the same number.
std::string shortest_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value == 0 ? 0.0 : value);
  check(error == std::errc(), "a number has a text of at most 32 characters");
  return {text.data(), end};
}

/// The value as the key writes it. Throws UsageError.
std::string canonical_value(const Operator& op, const OperatorParameter& parameter, const std::string& text) {
  const auto refuse = [&]() -> std::string {
    throw UsageError(parameter.name + "=" + text + " of " + op.name + " is illegal: " + parameter.name + " (" +
                     parameter.meaning + ") is " + legal_values(parameter));
  };
  switch (parameter.kind) {
    case OperatorParameter::Kind::kSize:
    case OperatorParameter::Kind::kCount:
    case OperatorParameter::Kind::kFlag: {
      const std::int64_t least = parameter.kind == OperatorParameter::Kind::kSize ? 1 : 0;
      const std::int64_t most = parameter.kind == OperatorParameter::Kind::kFlag ? 1 : kMaxSize;
      const auto value = parse_number<std::int64_t>(text);
      if (!value || *value < least || *value > most) return refuse();
      return std::to_string(*value);
    }
    case OperatorParameter::Kind::kType:
    case OperatorParameter::Kind::kChoice: {
      const std::vector<std::string>& names = names_of(parameter);
      return std::find(names.begin(), names.end(), text) != names.end() ? text : refuse();
    }
    case OperatorParameter::Kind::kNumber: {
      const auto value = parse_number<double>(text);
      return value && std::isfinite(*value) ? shortest_text(*value) : refuse();
    }
    case OperatorParameter::Kind::kShape: {
      const auto extents = parse_list(text, 'x');
      return extents && is_shape(*extents) ? join(*extents, 'x') : refuse();
    }
    case OperatorParameter::Kind::kAxes: {
      auto axes = parse_list(text, ',');
      if (!axes) return refuse();
      std::sort(axes->begin(), axes->end());
      const bool legal = axes->front() >= 0 && axes->back() < static_cast<std::int64_t>(kMaxDimensions) &&
                         std::adjacent_find(axes->begin(), axes->end()) == axes->end();
      return legal ? join(*axes, ',') : refuse();
    }
  }
  throw InternalError("unknown kind of parameter");
}

/// nullopt: must be given.
std::optional<std::string> default_of(const OperatorParameter& parameter, const Workload& before) {
  if (parameter.default_from) return parameter.default_from(before);
  if (parameter.default_value.empty()) return std::nullopt;
  return parameter.default_value;
}

}  // namespace

std::int64_t Workload::size(std::string_view name) const { return std::stoll(value_of(*this, name)); }

bool Workload::flag(std::string_view name) const { return value_of(*this, name) == "1"; }

ir::Type Workload::type(std::string_view name) const { return ir::Type::parse(value_of(*this, name)); }

const std::string& Workload::choice(std::string_view name) const { return value_of(*this, name); }

double Workload::number(std::string_view name) const { return parse_number<double>(value_of(*this, name)).value(); }

std::vector<std::int64_t> Workload::shape(std::string_view name) const {
  return parse_list(value_of(*this, name), 'x').value();
}

std::int64_t Workload::elements(std::string_view name) const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape(name)) elements *= extent;
  return elements;
}

std::vector<std::size_t> Workload::axes(std::string_view name) const {
  const std::vector<std::int64_t> axes = parse_list(value_of(*this, name), ',').value();
  return {axes.begin(), axes.end()};
}

std::string Workload::str() const {
  std::string text = op->name;
  for (const ParameterValue& parameter : parameters) {
    if (!parameter.is_default) text += ' ' + parameter.name + '=' + parameter.value;
  }
  return text;
}

bool operator==(const Workload& a, const Workload& b) {
  return a.op->name == b.op->name && a.parameters == b.parameters;
}

bool names_operator(std::string_view text, const Operator& op) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (!text.starts_with(op.name)) return false;
  text.remove_prefix(op.name.size());
  return text.empty() || kSpaces.find(text.front()) != std::string_view::npos;
}

Workload parse_workload(std::string_view text, std::shared_ptr<const Operator> shared) {
  const Operator& op = *shared;
  if (!names_operator(text, op)) {
    throw UsageError("'" + std::string(text) + "' is no workload of " + op.name + "; begin it with " + op.name);
  }
  text.remove_prefix(text.find(op.name) + op.name.size());
  std::istringstream words{std::string(text)};
  std::string word;
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
      throw UsageError(op.name + " has no parameter '" + name + "'" + did_you_mean(name, names) +
                       "; its parameters are " + join_names(names));
    }
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (!values[at].empty())
      throw UsageError("parameter '" + name + "' of " + op.name + " is given twice; give it once");
    values[at] = canonical_value(op, op.parameters[at], word.substr(equals + 1));
  }
  Workload workload{std::move(shared), {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const OperatorParameter& parameter = op.parameters[i];
    const std::optional<std::string> fallback = default_of(parameter, workload);
    if (values[i].empty() && !fallback) {
      throw UsageError("parameter '" + parameter.name + "' of " + op.name + " is missing; give " + parameter.name +
                       "=..., " + parameter.meaning + ", " + legal_values(parameter));
    }
    const std::string& value = values[i].empty() ? *fallback : values[i];
    workload.parameters.push_back({names[i], value, value == fallback});
  }
  // Throws for illegal combinations of parameters, too, such as too large tensors.
  auto definition = std::make_shared<const Definition>(op.define(workload));
  check_definition(workload, *definition);
  workload.definition = std::move(definition);
  return workload;
}

}  // namespace nestwright
