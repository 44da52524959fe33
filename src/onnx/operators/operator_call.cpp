#include "onnx/operators/operator_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reference/host_run.h"

namespace nestwright {

using ::onnx::AttributeProto;

/// A hostile model might take all memory for a shape.
constexpr std::int64_t kMaxShapeNumbers = std::int64_t{1} << 20;

const std::string& label_of(const ::onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

ValueId OperatorCall::input(std::size_t i) const {
  require_valid(has_input(i), fmt::format("input {} is missing", i));
  return *inputs_[i];
}

void OperatorCall::require_valid(bool condition, const std::string& reason) const {
  if (condition) return;
  throw UsageError(fmt::format("the node '{}' ({}) is malformed: {}", label(), op(), reason));
}

const AttributeProto* OperatorCall::find(std::string_view name) const {
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

const AttributeProto* OperatorCall::find(std::string_view name, AttributeProto::AttributeType type) const {
  const AttributeProto* const found = find(name);
  // Files of old writers do not say the type.
  const bool fits = found == nullptr || found->type() == type || found->type() == AttributeProto::UNDEFINED;
  require_valid(fits,
                fmt::format("the attribute {} is not of the type {}", name, AttributeProto::AttributeType_Name(type)));
  return found;
}

std::int64_t OperatorCall::integer(std::string_view name, std::int64_t otherwise) const {
  const AttributeProto* const found = find(name, AttributeProto::INT);
  return found == nullptr ? otherwise : found->i();
}

double OperatorCall::real(std::string_view name, double otherwise) const {
  const AttributeProto* const found = find(name, AttributeProto::FLOAT);
  return found == nullptr ? otherwise : static_cast<double>(found->f());
}

std::string OperatorCall::text(std::string_view name, const std::string& otherwise) const {
  const AttributeProto* const found = find(name, AttributeProto::STRING);
  return found == nullptr ? otherwise : found->s();
}

std::vector<std::int64_t> OperatorCall::integers(std::string_view name, std::vector<std::int64_t> otherwise) const {
  const AttributeProto* const found = find(name, AttributeProto::INTS);
  if (found == nullptr) return otherwise;
  return {found->ints().begin(), found->ints().end()};
}

std::vector<double> OperatorCall::reals(std::string_view name) const {
  const AttributeProto* const found = find(name, AttributeProto::FLOATS);
  if (found == nullptr) return {};
  return {found->floats().begin(), found->floats().end()};
}

std::vector<std::string> OperatorCall::texts(std::string_view name) const {
  const AttributeProto* const found = find(name, AttributeProto::STRINGS);
  if (found == nullptr) return {};
  return {found->strings().begin(), found->strings().end()};
}

ValueId OperatorCall::tensor(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::TENSOR);
  require_valid(found != nullptr, fmt::format("the attribute {} is missing", name));
  StoredTensor stored = file_.tensor(found->t());
  return graph_.add_constant(std::move(stored.type), std::move(stored.data));
}

std::int64_t OperatorCall::axis(std::string_view name, std::int64_t otherwise, std::int64_t rank) const {
  return checked_axis(integer(name, otherwise), rank);
}

std::int64_t OperatorCall::checked_axis(std::int64_t axis, std::int64_t rank) const {
  require_valid(axis >= -rank && axis < rank, fmt::format("there is no axis {} of {} dimensions", axis, rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> OperatorCall::checked_axes(const std::vector<std::int64_t>& axes, std::int64_t rank) const {
  std::vector<std::int64_t> checked;
  for (const std::int64_t axis : axes) checked.push_back(checked_axis(axis, rank));
  require_valid(std::set(checked.begin(), checked.end()).size() == checked.size(), "an axis is there twice");
  return checked;
}

std::vector<std::int64_t> OperatorCall::constant_integers(std::size_t i) {
  const ValueId value = input(i);
  require(graph_.value(value).is_constant, fmt::format("input {} is not constant", i));
  require_valid(type(i).elements() <= kMaxShapeNumbers, fmt::format("input {} has too many elements", i));
  require_valid(type(i).type.is_int() || type(i).type.is_bool(), fmt::format("input {} is not of integers", i));
  return evaluator_.integers(value);
}

std::vector<double> OperatorCall::constant_numbers(std::size_t i) {
  const ValueId value = input(i);
  require(graph_.value(value).is_constant, fmt::format("input {} is not constant", i));
  return doubles_of(*evaluator_.get(value));
}

double OperatorCall::constant_number(std::size_t i) {
  require_valid(type(i).elements() == 1, fmt::format("input {} does not have one element", i));
  return constant_numbers(i).front();
}

std::optional<std::vector<std::int64_t>> OperatorCall::integers_of(std::size_t i, std::string_view attribute) {
  if (has_attribute(attribute)) return integers(attribute, {});
  if (has_input(i)) return constant_integers(i);
  return std::nullopt;
}

}  // namespace nestwright
