#include "templates/scan/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expression/scan.h"
#include "ir/core/fold.h"
#include "support/error.h"
#include "support/hash.h"
#include "templates/checking/rounding.h"
#include "templates/checking/whole_numbers.h"
#include "templates/checking/wide_magnitudes.h"

namespace nestwright {
namespace {

Definition define_scan(const Workload& workload) {
  const std::int64_t steps = workload.size("steps"), columns = workload.size("columns");
  const Type type = workload.type("dtype");
  const Tensor x = placeholder({Expr(steps), Expr(columns)}, type, "X");
  const double elements = static_cast<double>(steps) * static_cast<double>(columns);
  return {{x, make_scan(workload.choice("function"), x).y},
          1,
          elements - static_cast<double>(columns),
          2 * type.bytes() * elements};
}

Expr combine(const std::string& function, const Expr& before, const Expr& x) {
  if (function == "sum") return before + x;
  if (function == "product") return before * x;
  return function == "max" ? max(before, x) : min(before, x);
}

}  // namespace

ScanTensors make_scan(const std::string& function, const Tensor& x) {
  const Expr steps = x.shape()[0], columns = x.shape()[1];
  if (ir::is_const_int(steps, 1)) {
    return {{}, {}, compute({steps, columns}, [&](Expr t, Expr j) { return x(t, j); }, "Y")};
  }
  const Tensor state = placeholder({steps, columns}, x.dtype(), "state");
  const Tensor init = compute({Expr(1), columns}, [&](Expr, Expr j) { return x(0, j); }, "init");
  const Tensor update =
      compute({steps, columns}, [&](Expr t, Expr j) { return combine(function, state(t - 1, j), x(t, j)); }, "update");
  return {init, update, scan(init, update, state, {x}, "Y")};
}

Operator scan_operator() {
  using Kind = OperatorParameter::Kind;
  return {"scan",
          "cumulative sum, product, maximum or minimum of the rows of a matrix, from the first one on",
          {{"function", "what is computed", Kind::kChoice, "", {"sum", "product", "max", "min"}},
           {"steps", "the number of rows, which are taken one after the other", Kind::kSize, ""},
           {"columns", "the length of a row", Kind::kSize, ""},
           {"dtype", "the type of the elements", Kind::kType, "float32"}},
          define_scan,
          scan_reference,
          scan_whole_inputs,
          scan_wide_inputs};
}

Reference scan_reference(const Workload& workload, const HostTensors& inputs) {
  const auto steps = static_cast<std::size_t>(workload.size("steps")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  if (inputs.size() != 1 || inputs[0].size() != steps * columns) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  const std::string& function = workload.choice("function");
  const Type type = workload.type("dtype");
  const double least = type == kFloat64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  Reference reference{inputs, {std::vector<double>(steps * columns)}};
  for (std::size_t j = 0; j < columns; ++j) {
    // In long double, which is more exact than the bounds of float64 are.
    long double value = inputs[0][j], sum_squares = value * value;
    for (std::size_t t = 1; t < steps; ++t) {
      const std::size_t at = t * columns + j;
      const double x = inputs[0][at], terms = static_cast<double>(t + 1);
      double& bound = reference.bound[0][at];
      if (function == "sum") {
        value += x;
        sum_squares += static_cast<long double>(x) * x;
        bound = summation_error(terms, type) * std::sqrt(static_cast<double>(sum_squares));
      } else if (function == "product") {
        value *= x;
        bound = terms * (epsilon_of(type) * static_cast<double>(std::abs(value)) + least);
      } else {
        value = function == "max" ? std::max<long double>(value, x) : std::min<long double>(value, x);
      }
      reference.expected[0][at] = static_cast<double>(value);
    }
  }
  return reference;
}

HostTensors scan_whole_inputs(const Workload& workload) {
  const Type type = workload.type("dtype");
  if (workload.choice("function") != "sum" || !type.is_float()) return {};
  const std::int64_t steps = workload.size("steps");
  WholeNumbers numbers(static_cast<double>(steps), 1, largest_exact(type), stable_hash(workload.str()));
  HostTensors inputs;
  inputs.push_back(numbers.draw(static_cast<std::size_t>(steps * workload.size("columns"))));
  return inputs;
}

CheckedInputs scan_wide_inputs(const Workload& workload, const CheckedInputs&) {
  const auto steps = static_cast<std::size_t>(workload.size("steps")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  const std::string& function = workload.choice("function");
  const Type type = workload.type("dtype");
  WideMagnitudes magnitudes(type, workload);
  std::vector<double> x = magnitudes.draw_each(steps * columns);
  if (function == "sum") {
    const std::vector<double> scales = magnitudes.scales(columns, magnitudes.reach());
    x = magnitudes.draw_scaled(steps * columns, [&](std::size_t at) { return scales[at % columns]; });
  } else if (function == "product") {
    // Each step takes the product from one magnitude to the next.
    std::vector<double> products(columns, 1);
    for (std::size_t at = 0; at < x.size(); ++at) {
      double& product = products[at % columns];
      x[at] = ir::round_float(x[at] / std::abs(product), type);
      product *= x[at];
    }
  }
  return {{std::move(x)}, {}};
}

}  // namespace nestwright
