#include "templates/softmax/softmax.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "expression/tensor.h"
#include "support/error.h"
#include "templates/checking/rounding.h"
#include "templates/checking/wide_magnitudes.h"

namespace nestwright {
namespace {

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
CheckedInputs softmax_wide_inputs(const Workload& workload, const CheckedInputs&) {
  constexpr int kLargest = 8;
  const auto columns = static_cast<std::size_t>(workload.size("columns"));
  WideMagnitudes magnitudes(kFloat32, workload);
  CheckedInputs wide;
  wide.inputs.push_back(magnitudes.draw_rows(workload.size("rows"), columns, -magnitudes.reach(), kLargest));
  return wide;
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
          softmax_wide_inputs};
}

Reference softmax_reference(const Workload& workload, const HostTensors& inputs) {
  const auto rows = static_cast<std::size_t>(workload.size("rows")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  if (inputs.size() != 1 || inputs[0].size() != rows * columns) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  const double rounding = epsilon_of(kFloat32) / 2, of_sum = summation_error(static_cast<double>(columns), kFloat32);
  Reference reference = one_result(rows * columns);
  tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t i) {
    const double* x = &inputs[0][i * columns];
    double* y = &reference.expected[0][i * columns];
    const double largest = *std::max_element(x, x + columns);
    for (std::size_t j = 0; j < columns; ++j) y[j] = std::exp(x[j] - largest);
    const double total = std::accumulate(y, y + columns, 0.0);
    double mean_distance = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      y[j] /= total;
      mean_distance += y[j] * (largest - x[j]);
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const double relative = (largest - x[j] + mean_distance + 8) * rounding + of_sum;
      reference.bound[0][i * columns + j] = relative * y[j] + std::numeric_limits<float>::min();
    }
  });
  return reference;
}

}  // namespace nestwright
