// Operators that read or write elements whose indices are data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "onnx/operators/indices.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

using Extents = std::vector<std::int64_t>;

/// An integer that indexes a dimension, as text; one below 0 counts from the end.
std::string index_from_end(const std::string& number, std::int64_t extent) {
  return fmt::format("select({0}<0,{0}+{1},{0})", number, extent);
}

/// The same, clamped to the dimension, as a read needs it.
std::string index_in(const std::string& number, std::int64_t extent) {
  if (extent == 1) return "0";
  return fmt::format("clamp({},0,{})", index_from_end(number, extent), extent - 1);
}

/// Integers first, first + step, ...; nullopt: others.
std::optional<std::pair<std::int64_t, std::int64_t>> progression(const Extents& values) {
  const std::int64_t step = values.size() > 1 ? values[1] - values[0] : 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return std::nullopt;
  }
  return std::pair(values.front(), step);
}

/// The index of the axis, if the indices are constant and it is a number or linear in the index of the result.
std::optional<std::string> constant_index(OperatorCall& call, const Indices& indices, std::size_t axis,
                                          std::int64_t extent) {
  const Extents shape = call.shape(1);
  if (!call.graph().value(call.input(1)).is_constant || call.type(1).elements() > 4096) return std::nullopt;
  Extents values = call.constant_integers(1);
  for (std::int64_t& value : values) {
    call.require_valid(value >= -extent && value < extent, fmt::format("index {} is outside of the axis", value));
    if (value < 0) value += extent;
  }
  const auto found = progression(values);
  if (!found || (shape.size() > 1 && values.size() > 1)) return std::nullopt;
  const auto [first, step] = *found;
  if (step == 0) return std::to_string(first);
  const std::string index = indices.name(axis), size = std::to_string(std::abs(step));
  const std::string multiple = std::abs(step) == 1 ? index : size + "*" + index;
  if (step < 0) return fmt::format("{}-{}", first, multiple);
  return first == 0 ? multiple : fmt::format("{}+{}", multiple, first);
}

void gather(OperatorCall& call) {
  const Extents x = call.shape(0), shape = call.shape(1);
  const auto axis = static_cast<std::size_t>(call.axis("axis", 0, call.rank(0)));
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Extents result(x.begin(), x.begin() + at);
  result.insert(result.end(), shape.begin(), shape.end());
  result.insert(result.end(), x.begin() + at + 1, x.end());
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(0).type, result));
  call.require(!is_empty(x), "its operand has no elements");
  const Indices indices(result);
  std::vector<std::string> read, read_index;
  for (std::size_t d = 0; d < axis; ++d) read.push_back(indices.name(d));
  for (std::size_t d = 0; d < shape.size(); ++d) read_index.push_back(indices.name(axis + d));
  std::vector<GraphOperand> operands{{"X", call.input(0)}};
  if (const std::optional<std::string> known = constant_index(call, indices, axis, x[axis])) {
    read.push_back(*known);
  } else {
    read.push_back(index_in(fmt::format("I[{}]", joined(read_index)), x[axis]));
    if (x[axis] > 1) operands.push_back({"I", call.input(1)});
  }
  for (std::size_t d = axis + shape.size(); d < result.size(); ++d) read.push_back(indices.name(d));
  if (result == x && read == indices.names()) return call.set_output(0, call.input(0));
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()), operands));
}

void gather_elements(OperatorCall& call) {
  const Extents x = call.shape(0), shape = call.shape(1);
  const auto axis = static_cast<std::size_t>(call.axis("axis", 0, call.rank(0)));
  call.require_valid(shape.size() == x.size(), "its operands differ in rank");
  for (std::size_t d = 0; d < x.size(); ++d) {
    call.require_valid(d == axis || shape[d] <= x[d], "there are more indices than elements");
  }
  if (is_empty(shape)) return call.set_output(0, call.empty_constant(call.type(0).type, shape));
  const Indices indices(shape);
  std::vector<std::string> read = indices.names();
  read[axis] = index_in(fmt::format("I[{}]", indices.list()), x[axis]);
  std::vector<GraphOperand> operands{{"X", call.input(0)}};
  if (x[axis] > 1) operands.push_back({"I", call.input(1)});
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()), operands));
}

void gather_nd(OperatorCall& call) {
  const Extents x = call.shape(0), shape = call.shape(1);
  const std::int64_t batch = call.integer("batch_dims", 0);
  call.require_valid(!shape.empty() && batch >= 0 && batch < static_cast<std::int64_t>(shape.size()) &&
                         batch + shape.back() <= static_cast<std::int64_t>(x.size()),
                     "its indices have more numbers than its operand has dimensions");
  const auto first = static_cast<std::size_t>(batch), count = static_cast<std::size_t>(shape.back());
  Extents result(shape.begin(), shape.end() - 1);
  const std::size_t leading = result.size();
  result.insert(result.end(), x.begin() + batch + shape.back(), x.end());
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(0).type, result));
  call.require(!is_empty(x) && count > 0, "its operand has no elements");
  const Indices indices(result);
  std::vector<std::string> read, places;
  for (std::size_t d = 0; d < leading; ++d) places.push_back(indices.name(d));
  for (std::size_t d = 0; d < first; ++d) read.push_back(indices.name(d));
  bool reads_indices = false;
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::string> place = places;
    place.push_back(std::to_string(n));
    read.push_back(index_in(fmt::format("I[{}]", joined(place)), x[first + n]));
    reads_indices = reads_indices || x[first + n] > 1;
  }
  for (std::size_t d = leading; d < result.size(); ++d) read.push_back(indices.name(d));
  std::vector<GraphOperand> operands{{"X", call.input(0)}};
  if (reads_indices) operands.push_back({"I", call.input(1)});
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()), operands));
}

/// What an element becomes that updates are scattered to: `over` are the indices of those, `hits` says which of them
/// belong to it, `update` reads one, and X is read by the indices of the result.
void scatter(OperatorCall& call, const Indices& indices, const std::vector<std::string>& over, const std::string& hits,
             const std::string& update, const std::string& sizes) {
  const std::string kind = call.text("reduction", "none");
  const std::string x = fmt::format("X[{}]", indices.list()), out = indices.list(), reduced = joined(over);
  const bool is_bool = call.type(0).type.is_bool();
  std::string text;
  if (kind == "none" && is_bool) {
    text = fmt::format("H[{0}]=any({1},{2});U[{0}]=any({1},{2}&&{3});Y[{0}]=H[{0}]&&U[{0}]||!H[{0}]&&{4}", out, reduced,
                       hits, update, x);
  } else if (kind == "none") {
    text = fmt::format("H[{0}]=any({1},{2});U[{0}]=sum({1},select({2},{3},0));Y[{0}]=select(H[{0}],U[{0}],{4})", out,
                       reduced, hits, update, x);
  } else if (kind == "add") {
    text = fmt::format("U[{0}]=sum({1},select({2},{3},0));Y[{0}]={4}+U[{0}]", out, reduced, hits, update, x);
  } else if (kind == "mul") {
    text = fmt::format("U[{0}]=prod({1},select({2},{3},1));Y[{0}]={4}*U[{0}]", out, reduced, hits, update, x);
  } else {
    call.require_valid(kind == "max" || kind == "min", "reduction is none of ONNX's");
    text =
        fmt::format("U[{0}]={5}({1},select({2},{3},{4}));Y[{0}]={5}({4},U[{0}])", out, reduced, hits, update, x, kind);
  }
  call.set_output(0, call.apply(text + indices.sizes() + sizes,
                                {{"X", call.input(0)}, {"I", call.input(1)}, {"S", call.input(2)}}));
}

void scatter_elements(OperatorCall& call) {
  const Extents x = call.shape(0), shape = call.shape(1);
  const auto axis = static_cast<std::size_t>(call.axis("axis", 0, call.rank(0)));
  call.require_valid(shape.size() == x.size() && call.shape(2) == shape, "its operands differ in rank or shape");
  if (is_empty(shape) || is_empty(x)) return call.set_output(0, call.input(0));
  const Indices indices(x);
  std::vector<std::string> place = indices.names();
  place[axis] = "k";
  std::string hits;
  for (std::size_t d = 0; d < x.size(); ++d) {
    call.require_valid(d == axis || shape[d] <= x[d], "there are more indices than elements");
    if (d != axis && shape[d] < x[d]) hits += fmt::format("{}<{}&&", indices.name(d), shape[d]);
  }
  const std::string number = fmt::format("int64(I[{}])", joined(place));
  hits += fmt::format("{}=={}", index_from_end(number, x[axis]), indices.name(axis));
  scatter(call, indices, {"k"}, hits, fmt::format("S[{}]", joined(place)), fmt::format(" k={}", shape[axis]));
}

void scatter_nd(OperatorCall& call) {
  const Extents x = call.shape(0), shape = call.shape(1);
  call.require_valid(!shape.empty() && shape.back() <= static_cast<std::int64_t>(x.size()) && shape.back() > 0,
                     "its indices have more numbers than its operand has dimensions");
  if (is_empty(shape) || is_empty(x)) return call.set_output(0, call.input(0));
  call.require(shape.size() > 1, "it has a single index");
  const Indices indices(x), places({shape.begin(), shape.end() - 1}, "k");
  std::vector<std::string> hits, update = places.names();
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (n >= static_cast<std::size_t>(shape.back())) {
      update.push_back(indices.name(n));
      continue;
    }
    const std::string number = fmt::format("int64(I[{},{}])", places.list(), n);
    hits.push_back(fmt::format("{}=={}", index_from_end(number, x[n]), indices.name(n)));
  }
  scatter(call, indices, places.names(), fmt::format("{}", fmt::join(hits, "&&")), fmt::format("S[{}]", joined(update)),
          places.sizes());
}

}  // namespace

std::vector<OnnxOperator> gathering_operators() {
  return {
      {"Gather", 1, kNewestOpset, {"axis"}, gather},
      {"GatherElements", 11, kNewestOpset, {"axis"}, gather_elements},
      {"GatherND", 11, kNewestOpset, {"batch_dims"}, gather_nd},
      {"Scatter", 9, 10, {"axis"}, scatter_elements},
      {"ScatterElements", 11, kNewestOpset, {"axis", "reduction"}, scatter_elements},
      {"ScatterND", 11, kNewestOpset, {"reduction"}, scatter_nd},
  };
}

}  // namespace nestwright
