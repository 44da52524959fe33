// Reductions over axes: sums, means, norms, extrema and their indices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "onnx/operators/indices.h"
#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

using Extents = std::vector<std::int64_t>;

/// How a reduction is computed.
struct ReductionFormula {
  const char* name;
  const char* reduction;  ///< of the language
  const char* term;       ///< {0}: the element
  const char* result;     ///< {0}: the reduction, {1}: how many elements it has
  const char* alone;      ///< of one element {0}: the result where nothing is reduced
  const char* of_none;    ///< the result of no elements
};

constexpr ReductionFormula kReductions[] = {
    {"ReduceL1", "sum", "abs({0})", "{0}", "abs({0})", "0"},
    {"ReduceL2", "sum", "{0}*{0}", "sqrt({0})", "abs({0})", "0"},
    {"ReduceLogSum", "sum", "{0}", "log({0})", "log({0})", "-inf"},
    {"ReduceLogSumExp", "sum", "exp({0})", "log({0})", "{0}", "-inf"},
    {"ReduceMax", "max", "{0}", "{0}", "{0}", "-inf"},
    {"ReduceMean", "sum", "{0}", "{0}/{1}", "{0}", "0/0"},
    {"ReduceMin", "min", "{0}", "{0}", "{0}", "inf"},
    {"ReduceProd", "prod", "{0}", "{0}", "{0}", "1"},
    {"ReduceSum", "sum", "{0}", "{0}", "{0}", "0"},
    {"ReduceSumSquare", "sum", "{0}*{0}", "{0}", "{0}*{0}", "0"},
};

/// The dimensions of an operand that a node reduces.
struct ReducedAxes {
  std::vector<bool> is_reduced;  ///< each dimension
  Extents kept, result;          ///< without the reduced dimensions, and as the node's result has them
  std::int64_t count = 1;        ///< elements that are reduced to one
};

ReducedAxes reduced_axes(const OperatorCall& call, const Extents& axes) {
  const Extents& shape = call.shape(0);
  ReducedAxes reduced{std::vector<bool>(shape.size(), false), {}, {}};
  for (const std::int64_t axis : axes) reduced.is_reduced[static_cast<std::size_t>(axis)] = true;
  const bool keeps = call.integer("keepdims", 1) != 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (reduced.is_reduced[d]) {
      reduced.count *= shape[d];
      if (keeps) reduced.result.push_back(1);
    } else {
      reduced.kept.push_back(shape[d]);
      reduced.result.push_back(shape[d]);
    }
  }
  return reduced;
}

/// The indices of the operand: i0, i1 of the result and r0, r1 of the reduction.
struct ReductionIndices {
  std::vector<std::string> out, over, read;
  std::string sizes;
};

ReductionIndices reduction_indices(const OperatorCall& call, const ReducedAxes& reduced) {
  ReductionIndices indices;
  const Extents& shape = call.shape(0);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    auto& names = reduced.is_reduced[d] ? indices.over : indices.out;
    if (reduced.is_reduced[d] && shape[d] == 1) {
      indices.read.emplace_back("0");
      continue;
    }
    names.push_back(fmt::format("{}{}", reduced.is_reduced[d] ? "r" : "i", names.size()));
    indices.read.push_back(names.back());
    indices.sizes += fmt::format(" {}={}", names.back(), shape[d]);
  }
  return indices;
}

const ReductionFormula& formula_of(const std::string& op) {
  return *std::find_if(std::begin(kReductions), std::end(kReductions),
                       [&](const ReductionFormula& formula) { return op == formula.name; });
}

/// The result of sums over no elements.
ValueId reduced_from_none(OperatorCall& call, const ReductionFormula& formula, const Extents& result) {
  const ir::Type type = call.type(0).type;
  if (is_empty(result)) return call.empty_constant(type, result);
  const Indices indices(result);
  std::string value = formula.of_none;
  const bool is_number = value == "0" || value == "1";
  call.require(type.is_float() || is_number, "it reduces no elements, of integers");
  if (value == "0/0") value = "inf-inf";
  const std::string number =
      is_number ? fmt::format("{}({})", type.str(), value) : fmt::format("{}(1)*{}", type.str(), value);
  return call.apply(fmt::format("Y[{}]={}{}", indices.list(), number, indices.sizes()), {});
}

/// The statements of a reduction of elements `x`; `convert` is put around the result.
std::string statements_of(const ReductionFormula& formula, const std::string& x, const ReductionIndices& indices,
                          std::int64_t count, const std::string& convert) {
  const std::string out = joined(indices.out), over = joined(indices.over);
  if (std::string_view(formula.name) == "ReduceLogSumExp") {
    // The exponentials of numbers that the largest is subtracted from do not overflow.
    return fmt::format("M[{0}]=max({1},{2});S[{0}]=sum({1},exp({2}-M[{0}]));Y[{0}]={3}(log(S[{0}])+M[{0}]){4}", out,
                       over, x, convert, indices.sizes);
  }
  const std::string term = fmt::format(fmt::runtime(formula.term), x);
  const std::string sum = fmt::format("{}({},{})", formula.reduction, over, term);
  const std::string value = fmt::format(fmt::runtime(formula.result), sum, count);
  return fmt::format("Y[{}]={}{}", out, convert.empty() ? value : convert + "(" + value + ")", indices.sizes);
}

/// The type that sums are computed in: integers in float64 if the result has fractions, which are truncated, and
/// float16 and bfloat16 in float32.
ir::Type type_of_sum(const ReductionFormula& formula, ir::Type type) {
  const std::string_view name = formula.name;
  const bool has_fractions =
      name == "ReduceMean" || name == "ReduceL2" || name == "ReduceLogSum" || name == "ReduceLogSumExp";
  if (type.is_int() && has_fractions) return kFloat64;
  const bool is_exact = name == "ReduceMax" || name == "ReduceMin";
  return type.is_narrow_float() && !is_exact ? kFloat32 : type;
}

void reduce(OperatorCall& call) {
  ReductionFormula formula = formula_of(call.op());
  const ir::Type type = call.type(0).type;
  std::optional<Extents> axes = call.integers_of(1, "axes");
  if (axes && axes->empty()) axes.reset();
  const bool is_none = !axes && call.integer("noop_with_empty_axes", 0) != 0;
  Extents every(call.shape(0).size());
  std::iota(every.begin(), every.end(), 0);
  const ReducedAxes reduced =
      reduced_axes(call, is_none ? Extents() : call.checked_axes(axes.value_or(every), call.rank(0)));
  if (is_empty(call.shape(0))) return call.set_output(0, reduced_from_none(call, formula, reduced.result));

  const ir::Type sum = type_of_sum(formula, type);
  const bool is_wide = sum != type;
  const std::string convert = is_wide ? type.str() : "";
  const auto widened = [&](const std::string& x) { return is_wide ? fmt::format("{}({})", sum.str(), x) : x; };
  const ReductionIndices indices = reduction_indices(call, reduced);
  if (indices.over.empty()) {  // one element each
    const std::string alone = formula.alone;
    if (alone == "{0}") return call.set_output(0, call.reshape(call.input(0), reduced.result));
    const std::string value = fmt::format(fmt::runtime(alone), widened("{0}"));
    const std::string converted = is_wide ? convert + "(" + value + ")" : value;
    return call.set_output(0, call.reshape(apply_pointwise(call, converted, {call.input(0)}), reduced.result));
  }
  if (type.is_bool()) formula.reduction = std::string_view(formula.reduction) == "max" ? "any" : "all";
  const std::string element = widened(fmt::format("X[{}]", joined(indices.read)));
  const std::string text = statements_of(formula, element, indices, reduced.count, convert);
  call.set_output(0, call.reshape(call.apply(text, {{"X", call.input(0)}}), reduced.result));
}

/// The language's argmax gives the first of equal ones. ~x, which is -x - 1, is largest where x is smallest.
void arg_max_or_min(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const std::int64_t axis = call.axis("axis", 0, call.rank(0));
  const ReducedAxes reduced = reduced_axes(call, {axis});
  call.require(!is_empty(shape), "its operand has no elements");
  ReductionIndices indices = reduction_indices(call, reduced);
  if (indices.over.empty()) {  // one element each
    const Indices of_result(reduced.result);
    return call.set_output(0, call.apply(fmt::format("Y[{}]=0{}", of_result.list(), of_result.sizes()), {}));
  }
  const bool is_last = call.integer("select_last_index", 0) != 0;
  const std::int64_t last = shape[static_cast<std::size_t>(axis)] - 1;
  if (is_last) indices.read[static_cast<std::size_t>(axis)] = fmt::format("{}-r0", last);
  std::string term = fmt::format("X[{}]", joined(indices.read));
  if (call.op() == "ArgMin") term = call.type(0).type.is_int() ? "-" + term + "-1" : "-" + term;
  const std::string value = fmt::format("argmax(r0,{})", term);
  const std::string expression =
      fmt::format("Y[{}]={}{}{}", joined(indices.out), is_last ? fmt::format("{}-", last) : "", value, indices.sizes);
  call.set_output(0, call.reshape(call.apply(expression, {{"X", call.input(0)}}), reduced.result));
}

/// As a sum over the elements before: for short axes.
void cumulative(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const Extents axes = call.constant_integers(1);
  call.require_valid(axes.size() == 1, "axis is no scalar");
  const auto axis = static_cast<std::size_t>(call.checked_axis(axes[0], call.rank(0)));
  if (is_empty(shape)) return call.set_output(0, call.input(0));
  call.require(shape[axis] <= 4096, "its axis is longer than 4096");
  const Indices indices(shape);
  std::vector<std::string> read = indices.names();
  read[axis] = "k";
  std::string comparison = call.integer("exclusive", 0) != 0 ? "<" : "<=";
  if (call.integer("reverse", 0) != 0) comparison = comparison == "<" ? ">" : ">=";
  const bool is_sum = call.op() == "CumSum";
  const ir::Type type = call.type(0).type;
  std::string element = fmt::format("X[{}]", joined(read));
  if (type.is_narrow_float()) element = fmt::format("float32({})", element);
  std::string value = fmt::format("{}(k,select(k{}{},{},{}))", is_sum ? "sum" : "prod", comparison, indices.name(axis),
                                  element, is_sum ? 0 : 1);
  if (type.is_narrow_float()) value = fmt::format("{}({})", type.str(), value);
  const std::string text = fmt::format("Y[{}]={}{} k={}", indices.list(), value, indices.sizes(), shape[axis]);
  call.set_output(0, call.apply(text, {{"X", call.input(0)}}));
}

/// Ranks each element among all of its row: how many are before it, by value and then by index.
void top_k(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const auto axis = static_cast<std::size_t>(call.axis("axis", -1, call.rank(0)));
  const Extents count = call.has_attribute("k") ? Extents{call.integer("k", 0)} : call.constant_integers(1);
  call.require_valid(count.size() == 1 && count[0] >= 0 && count[0] <= shape[axis], "k is out of range");
  call.require(shape[axis] <= 4096, "its axis is longer than 4096");
  Extents result = shape;
  result[axis] = count[0];
  if (is_empty(result)) {
    call.set_output(0, call.empty_constant(call.type(0).type, result));
    if (call.has_output(1)) call.set_output(1, call.empty_constant(kInt64, result));
    return;
  }
  const Indices indices(shape);
  const auto at = [&](const char* tensor, const char* index) {
    std::vector<std::string> read = indices.names();
    read[axis] = index;
    return fmt::format("{}[{}]", tensor, joined(read));
  };
  const std::string index = indices.name(axis), here = at("X", index.c_str()), other = at("X", "k");
  std::string sizes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d != axis) sizes += fmt::format(" {}={}", indices.name(d), shape[d]);
  }
  const char* const before = call.integer("largest", 1) != 0 ? ">" : "<";
  const std::vector<GraphOperand> operands{{"X", call.input(0)}};
  const ValueId ranks = call.apply(fmt::format("{}=sum(k,int64({}{}{}||{}=={}&&k<{})){} k={}", at("R", index.c_str()),
                                               other, before, here, other, here, index, indices.sizes(), shape[axis]),
                                   operands);
  const auto choose = [&](const std::string& value, std::vector<GraphOperand> from) {
    from.push_back({"R", ranks});
    return call.apply(fmt::format("{}=sum(k,select({}=={},{},0)){} {}={} k={}", at("Y", index.c_str()), at("R", "k"),
                                  index, value, sizes, index, count[0], shape[axis]),
                      from);
  };
  call.set_output(0, choose(other, operands));
  if (call.has_output(1)) call.set_output(1, choose("k", {}));
}

}  // namespace

std::vector<OnnxOperator> reduction_operators() {
  std::vector<OnnxOperator> operators = {
      {"ArgMax", 1, kNewestOpset, {"axis", "keepdims", "select_last_index"}, arg_max_or_min},
      {"ArgMin", 1, kNewestOpset, {"axis", "keepdims", "select_last_index"}, arg_max_or_min},
      {"CumProd", 26, kNewestOpset, {"exclusive", "reverse"}, cumulative},
      {"CumSum", 11, kNewestOpset, {"exclusive", "reverse"}, cumulative},
      {"TopK", 1, kNewestOpset, {"axis", "k", "largest", "sorted"}, top_k},
  };
  for (const ReductionFormula& formula : kReductions) {
    operators.push_back({formula.name, 1, kNewestOpset, {"axes", "keepdims", "noop_with_empty_axes"}, reduce});
  }
  return operators;
}

}  // namespace nestwright
