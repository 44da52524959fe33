// Operators that take parts of tensors, join tensors, and pad them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "onnx/operators/concatenation.h"
#include "onnx/operators/indices.h"
#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

using Extents = std::vector<std::int64_t>;

/// Whether sums of the number and of extents do not overflow.
bool is_offset(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  return -kMost < number && number < kMost;
}

/// "i0", "2*i0", "i0+3", "5-i0": first + step * index.
std::string strided_index(const std::string& index, std::int64_t first, std::int64_t step) {
  const std::int64_t size = std::abs(step);
  const std::string multiple = size == 1 ? index : fmt::format("{}*{}", size, index);
  if (step < 0) return fmt::format("{}-{}", first, multiple);
  if (first == 0) return multiple;
  return first < 0 ? fmt::format("{}-{}", multiple, -first) : fmt::format("{}+{}", multiple, first);
}

/// The elements first, first + step, ... of a dimension.
struct Part {
  std::int64_t first = 0, step = 1, count = 0;
};

ValueId parts_of(OperatorCall& call, const std::vector<Part>& parts) {
  const Extents shape = call.shape(0);
  Extents result;
  bool is_whole = true;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    result.push_back(parts[d].count);
    is_whole = is_whole && parts[d].count == shape[d] && (parts[d].step == 1 || shape[d] == 1);
  }
  if (is_empty(result)) return call.empty_constant(call.type(0).type, result);
  if (is_whole) return call.input(0);
  const Indices indices(result);
  std::vector<std::string> read;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const bool is_one = parts[d].count == 1 && shape[d] != 1;
    read.push_back(is_one ? std::to_string(parts[d].first)
                          : strided_index(indices.name(d), parts[d].first, parts[d].step));
  }
  return call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()),
                    {{"X", call.input(0)}});
}

std::vector<Part> whole_parts(const Extents& shape) {
  std::vector<Part> parts;
  for (const std::int64_t extent : shape) parts.push_back({0, 1, extent});
  return parts;
}

void slice(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const std::optional<Extents> starts = call.integers_of(1, "starts"), ends = call.integers_of(2, "ends");
  call.require_valid(starts && ends && starts->size() == ends->size(), "starts and ends differ in number");
  Extents every(starts->size());
  std::iota(every.begin(), every.end(), 0);
  const Extents axes = call.checked_axes(call.integers_of(3, "axes").value_or(every), call.rank(0));
  const Extents steps = call.has_input(4) ? call.constant_integers(4) : Extents(starts->size(), 1);
  call.require_valid(axes.size() == starts->size() && steps.size() == starts->size(),
                     "starts, axes and steps differ in number");
  std::vector<Part> parts = whole_parts(shape);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t extent = shape[static_cast<std::size_t>(axes[i])], step = steps[i];
    call.require_valid(step != 0 && step != INT64_MIN, "a step is 0 or out of range");
    // Backwards, the first is one of the elements, and the end may be before all of them.
    const std::int64_t last = step < 0 ? extent - 1 : extent;
    const auto clamped = [&](std::int64_t at, std::int64_t low) {
      return std::clamp(at < 0 ? at + extent : at, low, std::max(last, low));
    };
    const std::int64_t first = clamped((*starts)[i], 0), end = clamped((*ends)[i], step < 0 ? -1 : 0);
    const std::int64_t distance = step > 0 ? end - first : first - end, size = std::abs(step);
    const std::int64_t count = distance <= 0 || extent == 0 ? 0 : (distance - 1) / size + 1;
    parts[static_cast<std::size_t>(axes[i])] = {first, count == 1 ? 1 : step, count};
  }
  call.set_output(0, parts_of(call, parts));
}

void split(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const auto axis = static_cast<std::size_t>(call.axis("axis", 0, call.rank(0)));
  const auto outputs = static_cast<std::int64_t>(call.output_count());
  Extents sizes;
  if (const std::optional<Extents> given = call.integers_of(1, "split")) {
    sizes = *given;
  } else {
    const std::int64_t count = call.integer("num_outputs", outputs);
    call.require_valid(count >= 1 && count == outputs, "num_outputs is not the number of its results");
    const std::int64_t chunk = (shape[axis] + count - 1) / count;
    sizes.assign(static_cast<std::size_t>(count), chunk);
    sizes.back() = shape[axis] - chunk * (count - 1);
  }
  call.require_valid(static_cast<std::int64_t>(sizes.size()) == outputs, "it has another number of parts than results");
  std::vector<Part> parts = whole_parts(shape);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    call.require_valid(sizes[i] >= 0 && sizes[i] <= shape[axis] - first, "its parts exceed the extent of the axis");
    parts[axis] = {first, 1, sizes[i]};
    if (call.has_output(i)) call.set_output(i, parts_of(call, parts));
    first += sizes[i];
  }
  call.require_valid(first == shape[axis], "its parts do not add up to the extent of the axis");
}

void concat(OperatorCall& call) {
  call.require_valid(call.input_count() > 0, "it has no operands");
  const auto axis = static_cast<std::size_t>(call.axis("axis", 1, call.rank(0)));
  Extents result = call.shape(0);
  result[axis] = 0;
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < call.input_count(); ++i) {
    Extents shape = call.shape(i);
    call.require_valid(shape.size() == result.size() && call.type(i).type == call.type(0).type,
                       "its operands differ in rank or type");
    result[axis] += shape[axis];
    if (shape[axis] > 0) parts.push_back(call.input(i));
    shape[axis] = result[axis];
    call.require_valid(shape == result, "the shapes of its operands do not fit");
  }
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(0).type, result));
  call.require(parts.size() <= 190, "it has more than 190 operands");
  call.set_output(0, concatenation(call, parts, axis));
}

/// Elements that Pad adds before and after each dimension.
struct Padding {
  Extents before, after;
};

Padding padding_of(OperatorCall& call) {
  const std::size_t rank = call.shape(0).size();
  const std::optional<Extents> pads = call.integers_of(1, "pads");
  Extents axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has_input(3)) axes = call.checked_axes(call.constant_integers(3), call.rank(0));
  call.require_valid(pads && pads->size() == 2 * axes.size(), "there are not two pads for each axis");
  Padding padding{Extents(rank, 0), Extents(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(axes[i]);
    padding.before[d] = (*pads)[i];
    padding.after[d] = (*pads)[axes.size() + i];
    for (const std::int64_t pad : {padding.before[d], padding.after[d]}) {
      call.require_valid(is_offset(pad), "a pad is out of range");
    }
  }
  return padding;
}

/// The element that a mode other than "constant" reads, where `index` may lie outside of the extent.
std::string index_inside(const OperatorCall& call, const std::string& mode, const std::string& index,
                         std::int64_t extent, std::int64_t before, std::int64_t after) {
  if (before <= 0 && after <= 0) return index;
  if (extent == 1) return "0";
  if (mode == "edge") return fmt::format("clamp({},0,{})", index, extent - 1);
  if (mode == "wrap") return fmt::format("({})%{}", index, extent);
  call.require_valid(mode == "reflect", "mode is none of ONNX's");
  const std::int64_t last = extent - 1;
  if (before > last || after > last) {
    const std::string phase = fmt::format("({})%{}", index, 2 * last);
    return fmt::format("min({0},{1}-{0})", phase, 2 * last);
  }
  std::string mirrored = index;
  if (before > 0) mirrored = fmt::format("abs({})", mirrored);
  if (after > 0) mirrored = fmt::format("{}-abs({}-{})", last, last, mirrored);
  return fmt::format("clamp({},0,{})", mirrored, last);
}

/// Whether the expression can write the number as a padding.
bool is_exact_padding(ir::Type type, double number) {
  return !type.is_bool() && !std::isnan(number) && (type.is_float() || std::abs(number) <= 0x1p53);
}

/// X[i0-1,i1]?0, or where the padding is no number that can be written, a select between X and V.
void pad_with_constant(OperatorCall& call, const Padding& padding, const Indices& indices) {
  const Extents shape = call.shape(0);
  const ir::Type type = call.type(0).type;
  std::vector<std::string> read;
  std::string inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::string index = indices.name(d);
    read.push_back(strided_index(index, -padding.before[d], 1));
    const auto require = [&](const std::string& condition) { inside += (inside.empty() ? "" : "&&") + condition; };
    if (padding.before[d] > 0) require(fmt::format("{}>={}", index, padding.before[d]));
    if (padding.after[d] > 0) require(fmt::format("{}<{}", index, shape[d] + padding.before[d]));
  }
  const std::string element = fmt::format("X[{}]", joined(read));
  const auto apply = [&](const std::string& value, std::vector<GraphOperand> operands) {
    operands.insert(operands.begin(), {"X", call.input(0)});
    call.set_output(0, call.apply(fmt::format("Y[{}]={}{}", indices.list(), value, indices.sizes()), operands));
  };
  if (inside.empty()) return apply(element, {});
  const bool is_given = call.has_input(2);
  double number = call.real("value", 0);
  if (is_given && call.graph().value(call.input(2)).is_constant) number = call.constant_number(2);
  const bool is_known = !is_given || call.graph().value(call.input(2)).is_constant;
  if (is_known && is_exact_padding(type, number)) {
    std::string padded = literal_of(number);
    if (padded.front() == '(') padded = padded.substr(1, padded.size() - 2);
    return apply(element + "?" + padded, {});
  }
  if (!is_given) return apply(fmt::format("{}&&{}", inside, element), {});  // truth values
  const ValueId value = call.reshape(call.input(2), {});
  if (type.is_bool()) return apply(fmt::format("{0}&&{1}||!({0})&&V[]", inside, element), {{"V", value}});
  apply(fmt::format("select({},{},V[])", inside, element), {{"V", value}});
}

void pad(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const std::string mode = call.text("mode", "constant");
  const Padding padding = padding_of(call);
  Extents result;
  bool is_whole = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    result.push_back(shape[d] + padding.before[d] + padding.after[d]);
    call.require_valid(result[d] >= 0, "its pads take away more than there is");
    is_whole = is_whole && padding.before[d] == 0 && padding.after[d] == 0;
  }
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(0).type, result));
  if (is_whole) return call.set_output(0, call.input(0));
  call.require(!is_empty(shape), "its operand has no elements");
  const Indices indices(result);
  if (mode == "constant") return pad_with_constant(call, padding, indices);
  std::vector<std::string> read;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::string index = strided_index(indices.name(d), -padding.before[d], 1);
    read.push_back(index_inside(call, mode, index, shape[d], padding.before[d], padding.after[d]));
  }
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()),
                                {{"X", call.input(0)}}));
}

/// The triangle of each matrix, 0 elsewhere.
void trilu(OperatorCall& call) {
  const Extents shape = call.shape(0);
  call.require_valid(shape.size() >= 2, "its operand is no matrix");
  if (is_empty(shape)) return call.set_output(0, call.input(0));
  const std::int64_t k = call.has_input(1) ? call.constant_integers(1).at(0) : 0;
  call.require_valid(is_offset(k), "k is out of range");
  const Indices indices(shape);
  const bool is_upper = call.integer("upper", 1) != 0;
  const std::string condition = fmt::format("{}-{}{}{}", indices.name(shape.size() - 1), indices.name(shape.size() - 2),
                                            is_upper ? ">=" : "<=", k);
  const std::string element = fmt::format("X[{}]", indices.list());
  const std::string value = call.type(0).type.is_bool() ? fmt::format("{}&&{}", condition, element)
                                                        : fmt::format("select({},{},0)", condition, element);
  call.set_output(
      0, call.apply(fmt::format("Y[{}]={}{}", indices.list(), value, indices.sizes()), {{"X", call.input(0)}}));
}

}  // namespace

std::vector<OnnxOperator> slicing_operators() {
  return {
      {"Concat", 4, kNewestOpset, {"axis"}, concat},
      {"Pad", 2, 10, {"mode", "pads", "value"}, pad},
      {"Pad", 11, kNewestOpset, {"mode"}, pad},
      {"Slice", 1, 9, {"axes", "ends", "starts"}, slice},
      {"Slice", 10, kNewestOpset, {}, slice},
      {"Split", 2, 12, {"axis", "split"}, split},
      {"Split", 13, kNewestOpset, {"axis", "num_outputs"}, split},
      {"Trilu", 14, kNewestOpset, {"upper"}, trilu},
  };
}

}  // namespace nestwright
