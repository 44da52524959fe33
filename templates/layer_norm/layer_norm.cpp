#include "templates/layer_norm/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nestwright/error.h"
#include "nestwright/tensor.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/checking/rounding.h"

namespace nestwright {
namespace {

constexpr double kFlopsPerElement = 7;  ///< two additions and a product in the sums; subtract, scale twice, shift
constexpr double kMinEpsilon = 1e-12;

Definition define_layer_norm(const Workload& workload) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Type type = workload.type("dtype");
  if (workload.number("epsilon") < kMinEpsilon) {
    throw UsageError("epsilon=" + workload.parameters[2].value +
                     " of layer_norm is illegal: epsilon is at least 1e-12, or a row of equal elements has no result");
  }
  const Expr m(rows), n(columns);
  const Tensor x = placeholder({m, n}, type, "X"), scale = placeholder({n}, type, "scale"),
               shift = placeholder({n}, type, "shift");
  const IterVar k_sum = reduce_axis(n, "k"), k_squares = reduce_axis(n, "k");
  const Expr weight = ir::make_float(1.0 / static_cast<double>(columns), type);
  const Tensor total = compute({m}, [&](Expr i) { return sum(x(i, k_sum), k_sum); }, "total");
  const Tensor mean = compute({m}, [&](Expr i) { return total(i) * weight; }, "mean");
  const Tensor centred = compute({m, n}, [&](Expr i, Expr j) { return x(i, j) - mean(i); }, "centred");
  const Tensor squares =
      compute({m}, [&](Expr i) { return sum(centred(i, k_squares) * centred(i, k_squares), k_squares); }, "squares");
  const Tensor inverse = compute(
      {m}, [&](Expr i) { return rsqrt(squares(i) * weight + ir::make_float(workload.number("epsilon"), type)); },
      "inverse");
  const Tensor y =
      compute({m, n}, [&](Expr i, Expr j) { return centred(i, j) * inverse(i) * scale(j) + shift(j); }, "Y");
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  return {{x, scale, shift, y},
          3,
          kFlopsPerElement * elements,
          type.bytes() * (2 * elements + 2 * static_cast<double>(columns))};
}

/// Computes the expected values of one row and the bounds of their errors.
void bounded_row(const double* x, const double* scale, const double* shift, std::size_t n, double epsilon, Type type,
                 double* y, double* bound) {
  const double eps = epsilon_of(type), count = static_cast<double>(n), of_sum = summation_error(count, type);
  double mean = 0, mean_abs = 0;
  for (std::size_t j = 0; j < n; ++j) {
    mean += x[j] / count;
    mean_abs += std::abs(x[j]) / count;
  }
  const double mean_error = of_sum * mean_abs + eps * std::abs(mean);
  double variance = 0, variance_error = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double c = std::abs(x[j] - mean), c_error = mean_error + eps * c;
    variance += c * c / count;
    variance_error += (2 * c + c_error) * c_error / count;
  }
  variance_error += (of_sum + 2 * eps) * variance;
  const double inverse = 1 / std::sqrt(variance + epsilon);
  const double least = std::max(variance - variance_error, 0.0) + epsilon;
  const double inverse_error = 1 / std::sqrt(least) - inverse + 3 * eps * inverse;
  for (std::size_t j = 0; j < n; ++j) {
    const double c = x[j] - mean, c_error = mean_error + eps * std::abs(c), scaled = c * inverse * scale[j];
    y[j] = scaled + shift[j];
    bound[j] = std::abs(scale[j]) * (c_error * (inverse + inverse_error) + std::abs(c) * inverse_error) +
               eps * (3 * std::abs(scaled) + std::abs(shift[j]) + std::abs(y[j])) + std::numeric_limits<float>::min();
  }
}

/// Each row of X has a scale of its own, and so does each element of scale and shift.
InputSources layer_norm_wide_sources(const Workload& workload, const InputSources&) {
  const auto columns = static_cast<std::size_t>(workload.size("columns"));
  MixedMagnitudes magnitudes(workload.type("dtype"), workload);
  InputSources wide;
  wide.push_back(magnitudes.draw_rows(workload.size("rows"), columns, -magnitudes.reach(), magnitudes.reach()));
  wide.push_back(magnitudes.draw_each(columns));
  wide.push_back(magnitudes.draw_each(columns));
  return wide;
}

ElementReference layer_norm_reference_at(const Workload& workload, const InputValues& inputs,
                                         std::span<const std::int64_t> places) {
  const auto columns = static_cast<std::size_t>(workload.size("columns"));
  const double epsilon = workload.number("epsilon");
  const Type type = workload.type("dtype");
  std::vector<double> scale(columns), shift(columns);
  inputs[1]->read(0, 1, scale);
  inputs[2]->read(0, 1, shift);
  ElementReference reference = reference_of(places.size());
  for_rows(places, static_cast<std::int64_t>(columns), [&](const RowPlaces& row) {
    std::vector<double> x(columns), y(columns), bound(columns);
    const auto first = static_cast<std::size_t>(row.row) * columns;
    inputs[0]->read(first, 1, x);
    bounded_row(x.data(), scale.data(), shift.data(), columns, epsilon, type, y.data(), bound.data());
    for (std::size_t i = row.begin; i < row.end; ++i) {
      reference.expected[i] = y[static_cast<std::size_t>(places[i]) - first];
      reference.bound[i] = bound[static_cast<std::size_t>(places[i]) - first];
    }
  });
  return reference;
}

LargeChecks layer_norm_checks() {
  return {.reference_at = layer_norm_reference_at,
          .wide_inputs = layer_norm_wide_sources,
          .shared_run = [](const Workload& workload) { return workload.size("columns"); }};
}

}  // namespace

Operator layer_norm_operator() {
  using Kind = OperatorParameter::Kind;
  return {"layer_norm",
          "layer normalisation of each row of a matrix, with a row of scales and one of shifts",
          {{"rows", "the number of rows", Kind::kSize, ""},
           {"columns", "the length of a row", Kind::kSize, ""},
           {"epsilon", "what is added to the variance, at least 1e-12", Kind::kNumber, "1e-05"},
           {"dtype", "the type of the elements", Kind::kType, "float32"}},
          define_layer_norm,
          layer_norm_reference,
          {},
          wide_inputs_of(layer_norm_checks()),
          {},
          layer_norm_checks()};
}

Reference layer_norm_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  check_sizes(workload, inputs, {rows * columns, columns, columns});
  return whole_reference(layer_norm_checks(), workload, inputs, rows * columns);
}

}  // namespace nestwright
