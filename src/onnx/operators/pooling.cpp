// Pooling: reductions of windows, and of all spatial dimensions.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"
#include "onnx/operators/window.h"

namespace nestwright {
namespace {

/// The parts of Y[result] = reduce(reduced, X[input]).
struct PoolingText {
  PoolingText(const OperatorCall& call, const Window& pooled) : window(pooled) {
    const std::vector<std::int64_t>& x = call.shape(0);
    sizes = fmt::format(" n={} c={}", x[0], x[1]);
    for (std::size_t d = 0; d < window.rank(); ++d) {
      result.push_back(fmt::format("y{}", d));
      sizes += fmt::format(" {}={}", result.back(), window.result[d]);
      const std::string r = window.kernel[d] == 1 ? "" : fmt::format("r{}", d);
      input.push_back(window.index(d, result.back(), r));
      if (r.empty()) continue;
      reduced.push_back(r);
      reduced_sizes += fmt::format(" {}={}", r, window.kernel[d]);
    }
  }

  /// The element of X, and `padding` outside of it.
  std::string read(const std::string& padding) const {
    return fmt::format("X[{}]{}", joined(input), window.is_padded() ? "?" + padding : "");
  }
  /// Without a reduction for windows of one element.
  std::string reduce(const std::string& reduction, const std::string& term) const {
    return reduced.empty() ? term : fmt::format("{}({},{})", reduction, joined(reduced), term);
  }
  std::string statement(const std::string& value) const { return fmt::format("Y[{}]={}", joined(result), value); }
  std::string all_sizes() const { return sizes + reduced_sizes; }

  const Window& window;
  std::vector<std::string> result{"n", "c"}, input{"n", "c"}, reduced;
  std::string sizes, reduced_sizes;  ///< of the indices of the result, and of the others
};

Window pooling_window(const OperatorCall& call) {
  require_elements(call, 0);
  call.require_valid(call.rank(0) >= 3, "the input has no spatial dimensions");
  call.require(call.rank(0) <= 5, "it has more than three spatial dimensions");
  const std::vector<std::int64_t> kernel = call.integers("kernel_shape", {});
  call.require_valid(!kernel.empty(), "the attribute kernel_shape is missing");
  std::int64_t elements = 1;
  for (const std::int64_t extent : kernel) {
    constexpr std::int64_t kMax = std::int64_t{1} << 31;
    call.require_valid(extent >= 1 && extent < kMax, "an extent of the kernel is out of range");
    elements *= extent;
    call.require(elements < kMax, "its windows have too many elements");
  }
  return {call, {call.shape(0).begin() + 2, call.shape(0).end()}, kernel, call.integer("ceil_mode", 0) != 0};
}

/// The number that max() passes over: "-inf", "-128", "0".
std::string lowest_number(ir::Type type) {
  if (type.is_float()) return "-inf";
  if (type.code == ir::TypeCode::kUInt) return "0";
  return fmt::format("-{}", std::uint64_t{1} << (type.bits - 1));
}

/// The statements of the results of MaxPool: the largest elements, and their places in all of X.
std::string indexed_max_pool(const OperatorCall& call, const PoolingText& text, const std::string& padding) {
  const Window& window = text.window;
  const std::vector<std::int64_t>& x = call.shape(0);
  // argmax runs over one index: the place in the window, row by row.
  std::vector<std::string> input{"n", "c"}, places{"n", "c"};
  std::int64_t inner = 1;
  for (std::size_t d = window.rank(); d-- > 0;) inner *= window.kernel[d];
  const std::int64_t elements = inner;
  for (std::size_t d = 0; d < window.rank(); ++d) {
    inner /= window.kernel[d];
    const auto part = [&](const std::string& place) {
      if (window.kernel[d] == 1) return std::string();
      std::string index = inner == 1 ? place : fmt::format("{}/{}", place, inner);
      if (inner * window.kernel[d] != elements) index = fmt::format("{}%{}", index, window.kernel[d]);
      return index == place ? index : "(" + index + ")";
    };
    input.push_back(window.index(d, text.result[d + 2], part("r")));
    places.push_back(window.index(d, text.result[d + 2], part(fmt::format("A[{}]", joined(text.result)))));
  }
  // Columns first where storage_order is 1.
  std::vector<std::size_t> order(places.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (call.integer("storage_order", 0) != 0) std::reverse(order.begin() + 2, order.end());
  std::string place = "n";
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t d = order[i];
    place = fmt::format("{}*{}+{}", i == 1 ? place : "(" + place + ")", x[d], places[d]);
  }
  std::string statements = text.statement(text.reduce("max", text.read(padding)));
  std::string sizes = text.all_sizes();
  if (elements > 1) {
    statements += fmt::format(";A[{}]=argmax(r,X[{}]{})", joined(text.result), joined(input),
                              window.is_padded() ? "?" + padding : "");
    sizes += fmt::format(" r={}", elements);
  }
  return fmt::format("{};I[{}]={}{}", statements, joined(text.result), place, sizes);
}

void max_pool(OperatorCall& call) {
  const Window window = pooling_window(call);
  const PoolingText text(call, window);
  const std::string padding = lowest_number(call.type(0).type);
  if (call.has_output(1)) {
    // Else a padding may be taken for an equal element.
    call.require(call.type(0).type.is_float() || !window.is_padded(), "it has places in padded integers");
    const std::vector<ValueId> results = call.apply_all(indexed_max_pool(call, text, padding), {{"X", call.input(0)}});
    call.set_output(0, results.at(0));
    call.set_output(1, results.at(1));
    return;
  }
  call.set_output(
      0, call.apply(text.statement(text.reduce("max", text.read(padding))) + text.all_sizes(), {{"X", call.input(0)}}));
}

/// The number of elements of a window from `low` to below `high` in dimension d: "min(3,5-2*y0)-max(0,1-2*y0)", or a
/// number if all windows have as many.
std::string elements_between(const Window& window, std::size_t d, std::int64_t low, std::int64_t high) {
  const std::int64_t stride = window.strides[d], dilation = window.dilations[d], before = window.before[d];
  const std::string y = times(stride, fmt::format("y{}", d));
  // Those from the first on are the quotients, rounded up, of their distances from the window's begin.
  const auto rounded_up = [&](std::int64_t end) {
    if (dilation == 1) return fmt::format("{}-{}", end + before, y);
    return fmt::format("({}-{})/{}", end + before + dilation - 1, y, dilation);
  };
  std::string all = std::to_string(window.kernel[d]);
  if ((window.result[d] - 1) * stride - before + window.extent(d) > high) {
    all = fmt::format("min({},{})", all, rounded_up(high));
  }
  return -before < low ? fmt::format("{}-max(0,{})", all, rounded_up(low)) : all;
}

void average_pool(OperatorCall& call) {
  require_floats(call, 0);
  const Window window = pooling_window(call);
  const PoolingText text(call, window);
  const bool counts_pads = call.integer("count_include_pad", 0) != 0;
  std::int64_t fixed = 1;
  std::string varying;
  for (std::size_t d = 0; d < window.rank(); ++d) {
    const std::int64_t low = counts_pads ? -window.before[d] : 0;
    const std::string count = elements_between(window, d, low, window.input[d] + (counts_pads ? window.after[d] : 0));
    if (count.find('y') == std::string::npos) {
      fixed *= window.kernel[d];
    } else {
      varying += fmt::format("{}({})", varying.empty() ? "" : "*", count);
    }
  }
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  std::string value = text.reduce("sum", conversion(text.read("0"), type, wide));
  if (!varying.empty()) {
    const std::string count = fixed == 1 ? varying : fmt::format("{}*{}", fixed, varying);
    value += fmt::format("/{}({})", wide.str(), count);
  } else if (fixed != 1) {
    value += fmt::format("/{}", fixed);
  }
  call.set_output(0,
                  call.apply(text.statement(conversion(value, wide, type)) + text.all_sizes(), {{"X", call.input(0)}}));
}

/// The norm of order p of the terms that are read: sqrt(sum(r,x*x)).
template <class Reduce>
std::string norm_of(std::int64_t p, const std::string& read, const Reduce& reduce) {
  if (p == 1) return reduce(fmt::format("abs({})", read));
  if (p == 2) return fmt::format("sqrt({})", reduce(fmt::format("{}*{}", read, read)));
  return fmt::format("pow({},{})", reduce(fmt::format("pow(abs({}),{})", read, p)), 1.0 / static_cast<double>(p));
}

void lp_pool(OperatorCall& call) {
  require_floats(call, 0);
  const Window window = pooling_window(call);
  const PoolingText text(call, window);
  const std::int64_t p = call.integer("p", 2);
  call.require_valid(p >= 1, "p is below 1");
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const std::string norm = norm_of(p, conversion(text.read("0"), type, wide),
                                   [&](const std::string& term) { return text.reduce("sum", term); });
  call.set_output(0,
                  call.apply(text.statement(conversion(norm, wide, type)) + text.all_sizes(), {{"X", call.input(0)}}));
}

/// Reduces all spatial dimensions. `value` makes the element from the read and the indices of the reduction.
template <class F>
void set_global(OperatorCall& call, const F& value) {
  require_floats(call, 0);
  call.require_valid(call.rank(0) >= 2, "the input has no channels");
  call.require(call.rank(0) <= 8, "it has more than 8 dimensions");
  const std::vector<std::int64_t>& x = call.shape(0);
  std::vector<std::string> input{"n", "c"}, reduced;
  std::string sizes = fmt::format(" n={} c={}", x[0], x[1]);
  std::vector<std::int64_t> shape{x[0], x[1]};
  for (std::size_t d = 2; d < x.size(); ++d) {
    reduced.push_back(fmt::format("y{}", d - 2));
    input.push_back(reduced.back());
    sizes += fmt::format(" {}={}", reduced.back(), x[d]);
    shape.push_back(1);
  }
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const auto reduce = [&](const std::string& reduction, const std::string& term) {
    return reduced.empty() ? term : fmt::format("{}({},{})", reduction, joined(reduced), term);
  };
  const std::string element = value(conversion(fmt::format("X[{}]", joined(input)), type, wide), reduce);
  const ValueId result =
      call.apply(fmt::format("Y[n,c]={}{}", conversion(element, wide, type), sizes), {{"X", call.input(0)}});
  call.set_output(0, call.reshape(result, std::move(shape)));
}

void global_average_pool(OperatorCall& call) {
  set_global(call, [&](const std::string& read, const auto& reduce) {
    const std::vector<std::int64_t>& x = call.shape(0);
    const std::int64_t elements = product_of({x.begin() + 2, x.end()});
    return elements == 1 ? reduce("sum", read) : fmt::format("{}/{}", reduce("sum", read), elements);
  });
}

void global_max_pool(OperatorCall& call) {
  set_global(call, [](const std::string& read, const auto& reduce) { return reduce("max", read); });
}

void global_lp_pool(OperatorCall& call) {
  const std::int64_t p = call.integer("p", 2);
  call.require_valid(p >= 1, "p is below 1");
  set_global(call, [&](const std::string& read, const auto& reduce) {
    return norm_of(p, read, [&](const std::string& term) { return reduce("sum", term); });
  });
}

}  // namespace

std::vector<OnnxOperator> pooling_operators() {
  return {
      {"AveragePool",
       7,
       kNewestOpset,
       {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"},
       average_pool},
      {"GlobalAveragePool", 1, kNewestOpset, {}, global_average_pool},
      {"GlobalLpPool", 2, kNewestOpset, {"p"}, global_lp_pool},
      {"GlobalMaxPool", 1, kNewestOpset, {}, global_max_pool},
      {"LpPool",
       2,
       kNewestOpset,
       {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"},
       lp_pool},
      {"MaxPool",
       1,
       kNewestOpset,
       {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"},
       max_pool},
  };
}

}  // namespace nestwright
