// Operators that make constants, those that give their operand as it is, and conversions of types.
#include <fmt/format.h>

#include <cmath>

#include "onnx/operators/indices.h"
#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

template <class T>
ValueId numbers(OperatorCall& call, ir::Type type, const std::vector<T>& values, bool is_scalar) {
  std::vector<std::int64_t> shape;
  if (!is_scalar) shape.push_back(static_cast<std::int64_t>(values.size()));
  return call.graph().add_constant({type, std::move(shape)}, values);
}

std::vector<float> narrowed(const std::vector<double>& values) { return {values.begin(), values.end()}; }

void constant(OperatorCall& call) {
  if (call.has_attribute("value")) {
    call.set_output(0, call.tensor("value"));
  } else if (call.has_attribute("value_float")) {
    call.set_output(0, numbers(call, kFloat32, narrowed({call.real("value_float", 0)}), true));
  } else if (call.has_attribute("value_floats")) {
    call.set_output(0, numbers(call, kFloat32, narrowed(call.reals("value_floats")), false));
  } else if (call.has_attribute("value_int")) {
    call.set_output(0, numbers(call, kInt64, std::vector{call.integer("value_int", 0)}, true));
  } else if (call.has_attribute("value_ints")) {
    call.set_output(0, numbers(call, kInt64, call.integers("value_ints", {}), false));
  } else {
    call.require_valid(false, "it has no value");
  }
}

/// Throws UsageError unless a tensor may have the shape.
void require_shape(const OperatorCall& call, const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    const bool overflows = extent < 0 || __builtin_mul_overflow(elements, extent, &elements);
    call.require_valid(!overflows && elements < std::int64_t{1} << 31, "its result has an illegal shape");
  }
}

/// A tensor whose elements all are the single one of `value`.
ValueId filled(OperatorCall& call, ValueId value, const std::vector<std::int64_t>& shape) {
  require_shape(call, shape);
  if (is_empty(shape)) return call.empty_constant(call.graph().type(value).type, shape);
  const Indices indices(shape);
  const ValueId scalar = call.reshape(value, {});
  if (shape.empty()) return scalar;
  return call.apply(fmt::format("Y[{}]=V[]{}", indices.list(), indices.sizes()), {{"V", scalar}});
}

void constant_of_shape(OperatorCall& call) {
  const std::vector<std::int64_t> shape = call.constant_integers(0);
  const ValueId value =
      call.has_attribute("value") ? call.tensor("value") : numbers(call, kFloat32, std::vector<float>{0}, true);
  call.require_valid(call.graph().type(value).elements() == 1, "value does not have one element");
  call.set_output(0, filled(call, value, shape));
}

void identity(OperatorCall& call) { call.set_output(0, call.input(0)); }

void dropout(OperatorCall& call) {
  const bool trains = call.has_input(2) && call.constant_number(2) != 0;
  const double ratio = !trains ? 0 : call.has_input(1) ? call.constant_number(1) : 0.5;
  call.require(ratio == 0, "it drops elements, as in training");
  identity(call);
  if (!call.has_output(1)) return;
  const std::vector<std::int64_t> shape = call.shape(0);
  const std::vector<std::uint8_t> one{1};
  call.set_output(1, filled(call, call.graph().add_constant({kBool, {}}, one), shape));
}

ir::Type type_attribute(const OperatorCall& call, const char* name, ir::Type otherwise) {
  if (!call.has_attribute(name)) return otherwise;
  return element_type(static_cast<int>(call.integer(name, 0)), fmt::format("the attribute {}", name));
}

/// Numbers are truncated, and all but 0 are true.
void convert(OperatorCall& call, ir::Type to) {
  const ir::Type from = call.type(0).type;
  if (from == to) return identity(call);
  set_pointwise(call, to.is_bool() ? "{0}!=0" : to.str() + "({0})", 1, to);
}

void cast(OperatorCall& call) {
  call.require_valid(call.has_attribute("to"), "the attribute to is missing");
  convert(call, type_attribute(call, "to", kFloat32));
}

void cast_like(OperatorCall& call) { convert(call, call.type(1).type); }

void eye_like(OperatorCall& call) {
  const std::vector<std::int64_t> shape = call.shape(0);
  call.require_valid(shape.size() == 2, "its operand is no matrix");
  const ir::Type type = type_attribute(call, "dtype", call.type(0).type);
  if (is_empty(shape)) return call.set_output(0, call.empty_constant(type, shape));
  const std::string condition = fmt::format("i1-i0=={}", literal_of(static_cast<double>(call.integer("k", 0))));
  const std::string value = type.is_bool() ? condition : fmt::format("{}({})", type.str(), condition);
  call.set_output(0, call.apply(fmt::format("Y[i0,i1]={}{}", value, Indices(shape).sizes()), {}));
}

void range(OperatorCall& call) {
  const ir::Type type = call.type(0).type;
  call.require_valid(call.type(1).type == type && call.type(2).type == type, "its operands differ in type");
  if (type.is_int()) {
    const std::vector<std::int64_t> start = call.constant_integers(0), limit = call.constant_integers(1),
                                    step = call.constant_integers(2);
    call.require_valid(start.size() == 1 && limit.size() == 1 && step.size() == 1 && step[0] != 0,
                       "start, limit and delta are no scalars, or delta is 0");
  }
  const double start = call.constant_number(0), limit = call.constant_number(1), step = call.constant_number(2);
  const double count = std::max(std::ceil((limit - start) / step), 0.0);
  call.require_valid(count < 0x1p31, "its result has an illegal shape");
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(count)};
  if (is_empty(shape)) return call.set_output(0, call.empty_constant(type, shape));
  const std::string index = type == kInt64 ? "i0" : type.str() + "(i0)";
  call.set_output(0, call.apply(fmt::format("Y[i0]=S[]+{}*D[]{}", index, Indices(shape).sizes()),
                                {{"S", call.reshape(call.input(0), {})}, {"D", call.reshape(call.input(2), {})}}));
}

void one_hot(OperatorCall& call) {
  const std::vector<std::int64_t> shape = call.shape(0);
  const double depth = call.constant_number(1);
  call.require_valid(depth >= 1 && depth < 0x1p31 && call.shape(2) == std::vector<std::int64_t>{2},
                     "depth is below 1, or there are not two values");
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto axis = static_cast<std::size_t>(call.axis("axis", -1, rank + 1));
  std::vector<std::int64_t> result = shape;
  const auto at = static_cast<std::ptrdiff_t>(axis);
  result.insert(result.begin() + at, static_cast<std::int64_t>(depth));
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(2).type, result));
  const Indices indices(result);
  std::vector<std::string> read = indices.names();
  read.erase(read.begin() + at);
  const std::string hot = fmt::format("int64(I[{}])", joined(read));
  const std::string value = call.type(2).type.is_bool() ? "(V[1]&&{0}||V[0]&&!{0})" : "select({0},V[1],V[0])";
  const std::string condition =
      fmt::format("({0}=={1}||{0}=={1}-{2})", hot, indices.name(axis), static_cast<std::int64_t>(depth));
  call.set_output(0, call.apply(fmt::format("Y[{}]={}{}", indices.list(), fmt::format(fmt::runtime(value), condition),
                                            indices.sizes()),
                                {{"I", call.input(0)}, {"V", call.input(2)}}));
}

}  // namespace

std::vector<OnnxOperator> constant_operators() {
  return {
      {"Cast", 6, kNewestOpset, {"round_mode", "saturate", "to"}, cast},
      {"CastLike", 15, kNewestOpset, {"round_mode", "saturate"}, cast_like},
      {"Constant", 1, kNewestOpset, {"value", "value_float", "value_floats", "value_int", "value_ints"}, constant},
      {"ConstantOfShape", 9, kNewestOpset, {"value"}, constant_of_shape},
      {"Dropout", 7, 11, {"ratio"}, dropout},
      {"Dropout", 12, kNewestOpset, {"seed"}, dropout},
      {"EyeLike", 9, kNewestOpset, {"dtype", "k"}, eye_like},
      {"Identity", 1, kNewestOpset, {}, identity},
      {"OneHot", 9, kNewestOpset, {"axis"}, one_hot},
      {"Range", 11, kNewestOpset, {"stash_type"}, range},
  };
}

}  // namespace nestwright
