#include "templates/softmax/softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "nestwright/tensor.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/exp_values.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/checking/rounding.h"

namespace nestwright {
namespace {

constexpr std::size_t kLanes = 4;       ///< independent sums of the reference, which vectors hold
constexpr double kFlopsPerElement = 5;  ///< compare, subtract, exponential, add, multiply: as libraries count them

Definition define_softmax(const Workload& workload) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Type type = kFloat32;
  const Tensor x = placeholder({Expr(rows), Expr(columns)}, type, "X");
  const IterVar k_max = reduce_axis(Expr(columns), "k"), k_sum = reduce_axis(Expr(columns), "k");
  const Tensor largest = compute({Expr(rows)}, [&](Expr i) { return max(x(i, k_max), k_max); }, "largest");
  const Tensor power =
      compute({Expr(rows), Expr(columns)}, [&](Expr i, Expr j) { return exp(x(i, j) - largest(i)); }, "power");
  const Tensor total = compute({Expr(rows)}, [&](Expr i) { return sum(power(i, k_sum), k_sum); }, "total");
  const Tensor share = compute({Expr(rows)}, [&](Expr i) { return 1.0 / total(i); }, "share");
  const Tensor y = compute({Expr(rows), Expr(columns)}, [&](Expr i, Expr j) { return power(i, j) * share(i); }, "Y");
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  return {{x, y}, 1, kFlopsPerElement * elements, 2 * type.bytes() * elements};
}

/// The scales of rows reach from 2^-24 to 2^8: in the largest rows exp(x) overflows, but exp(x - max) does not.
InputSources softmax_wide_sources(const Workload& workload, const InputSources&) {
  constexpr int kLargest = 8;
  const auto columns = static_cast<std::size_t>(workload.size("columns"));
  MixedMagnitudes magnitudes(kFloat32, workload);
  return {magnitudes.draw_rows(workload.size("rows"), columns, -magnitudes.reach(), kLargest)};
}

ElementReference softmax_reference_at(const Workload& workload, const InputValues& inputs,
                                      std::span<const std::int64_t> places) {
  const std::int64_t columns = workload.size("columns");
  const double rounding = epsilon_of(kFloat32) / 2, of_sum = summation_error(static_cast<double>(columns), kFloat32);
  ElementReference reference = reference_of(places.size());
  for_rows(places, columns, [&](const RowPlaces& row) {
    std::vector<double> x(static_cast<std::size_t>(columns)), y(x.size());
    inputs[0]->read(static_cast<std::size_t>(row.row * columns), 1, x);
    const double largest = *std::max_element(x.begin(), x.end());
    for (std::size_t j = 0; j < x.size(); ++j) y[j] = x[j] - largest;
    exp_values(y);
    std::array<double, kLanes> totals{}, distances{};
    for (std::size_t j = 0; j + kLanes <= x.size(); j += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        totals[lane] += y[j + lane];
        distances[lane] += y[j + lane] * (largest - x[j + lane]);
      }
    }
    for (std::size_t j = x.size() / kLanes * kLanes; j < x.size(); ++j) {
      totals[0] += y[j];
      distances[0] += y[j] * (largest - x[j]);
    }
    const double total = std::accumulate(totals.begin(), totals.end(), 0.0), share = 1 / total;
    const double mean_distance = std::accumulate(distances.begin(), distances.end(), 0.0) * share;
    for (std::size_t i = row.begin; i < row.end; ++i) {
      const auto j = static_cast<std::size_t>(places[i] - row.row * columns);
      const double relative = (largest - x[j] + mean_distance + 8) * rounding + of_sum;
      reference.expected[i] = y[j] * share;
      reference.bound[i] = relative * reference.expected[i] + std::numeric_limits<float>::min();
    }
  });
  return reference;
}

LargeChecks softmax_checks() {
  return {.reference_at = softmax_reference_at,
          .wide_inputs = softmax_wide_sources,
          .shared_run = [](const Workload& workload) { return workload.size("columns"); }};
}

}  // namespace

Operator softmax_operator() {
  using Kind = OperatorParameter::Kind;
  return {"softmax",
          "softmax of each row of a matrix",
          {{"rows", "the number of rows", Kind::kSize, ""},
           {"columns", "the length of a row", Kind::kSize, ""},
           {"dtype", "the type of the elements", Kind::kType, "float32", {"float32"}}},
          define_softmax,
          softmax_reference,
          {},
          wide_inputs_of(softmax_checks()),
          {},
          softmax_checks()};
}

Reference softmax_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t elements = workload.size("rows") * workload.size("columns");
  check_sizes(workload, inputs, {elements});
  return whole_reference(softmax_checks(), workload, inputs, elements);
}

}  // namespace nestwright
