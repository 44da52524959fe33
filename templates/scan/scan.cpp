#include "templates/scan/scan.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ir/core/fold.h"
#include "nestwright/tensor.h"
#include "support/data/hash.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/integers.h"
#include "templates/checking/mixed_magnitudes.h"

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

InputSources scan_whole_sources(const Workload& workload) {
  const Type type = workload.type("dtype");
  if (workload.choice("function") != "sum" || !type.is_float()) return {};
  const std::int64_t steps = workload.size("steps");
  SmallIntegers numbers(static_cast<double>(steps), 1, largest_exact(type), stable_hash(workload.str()));
  return {numbers.draw(static_cast<std::size_t>(steps * workload.size("columns")))};
}

/// Each step takes the product from one magnitude to the next.
std::vector<double> draw_factors(std::vector<double> x, std::size_t columns, Type type) {
  std::vector<double> products(columns, 1);
  for (std::size_t at = 0; at < x.size(); ++at) {
    double& product = products[at % columns];
    x[at] = ir::round_float(x[at] / std::abs(product), type);
    product *= x[at];
  }
  return x;
}

InputSources scan_wide_sources(const Workload& workload, const InputSources&) {
  const auto steps = static_cast<std::size_t>(workload.size("steps")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  const std::string& function = workload.choice("function");
  const Type type = workload.type("dtype");
  MixedMagnitudes magnitudes(type, workload);
  const InputSource each = magnitudes.draw_each(steps * columns);
  if (function == "product") return {InputSource(draw_factors(each.values(), columns, type))};
  if (function != "sum") return {each};
  return {magnitudes.draw_scaled(steps * columns, [scales = magnitudes.scales(columns, magnitudes.reach()),
                                                   columns](std::size_t at) { return scales[at % columns]; })};
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
          integer_inputs_of(scan_checks()),
          wide_inputs_of(scan_checks()),
          {},
          scan_checks()};
}

LargeChecks scan_checks() {
  return {.reference_at = scan_reference_at,
          .integer_inputs = scan_whole_sources,
          .wide_inputs = scan_wide_sources,
          .lines = scan_lines,
          .line_sums = scan_line_sums};
}

}  // namespace nestwright
