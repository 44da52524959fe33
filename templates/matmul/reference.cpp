#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "templates/checking/element_rows.h"
#include "templates/checking/exact_product.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/result_reference.h"

namespace nestwright {
namespace {

double at(const TensorValues* tensor, std::size_t index) { return tensor != nullptr ? (*tensor)[index] : 0; }

/// All of an operand of one product of a batch, compact and row-major: op(A), or op(B).
std::vector<double> read_matrix(const MatmulShape& shape, const TensorValues& tensor, const MatrixLayout& layout,
                                std::int64_t number, bool transposed) {
  const auto rows = static_cast<std::size_t>(layout.rows), columns = static_cast<std::size_t>(layout.columns);
  std::vector<double> result(rows * columns);
  tbb::parallel_for(std::size_t{0}, transposed ? columns : rows, [&](std::size_t r) {
    const auto first = static_cast<std::size_t>(number * layout.step),
               leading = static_cast<std::size_t>(layout.leading);
    const std::size_t length = transposed ? rows : columns;
    read_operand(shape, tensor, transposed ? first + r : first + r * leading, transposed ? leading : 1,
                 std::span(result).subspan(r * length, length));
  });
  return result;
}

}  // namespace

Reference matmul_reference(const Workload& workload, const HostTensors& tensors) {
  const MatmulShape shape = matmul_shape(workload);
  const InputValues values = values_of(tensors);
  const MatmulInputs inputs = sort_inputs(workload, shape, values);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  const MatmulResult finish(workload, shape);

  // Between the rows of C a kernel must not write.
  constexpr double kUntouched = std::numeric_limits<double>::quiet_NaN();
  Reference reference = one_result(elements_of(shape.c, shape), kUntouched);
  for (std::int64_t number = 0; number < shape.batch; ++number) {
    const std::vector<double> a = read_matrix(shape, *inputs.a, shape.a, number, shape.ta),
                              b = read_matrix(shape, *inputs.b, shape.b, number, shape.tb);
    const ExactProduct sums = exact_product(a, b, m, n, k);
    tbb::parallel_for(std::size_t{0}, m, [&](std::size_t i) {
      const std::size_t row =
          static_cast<std::size_t>(number * shape.c.step) + i * static_cast<std::size_t>(shape.c.leading);
      for (std::size_t j = 0; j < n; ++j) {
        const ElementOfC c = finish(sums.sum[i * n + j], sums.sum_squares[i * n + j], at(inputs.before, row + j),
                                    at(inputs.bias, j), at(inputs.residual, row + j));
        reference.expected[0][row + j] = c.value;
        reference.bound[0][row + j] = c.bound;
      }
    });
  }
  return reference;
}

ElementReference matmul_reference_at(const Workload& workload, const InputValues& tensors,
                                     std::span<const std::int64_t> places) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulInputs inputs = sort_inputs(workload, shape, tensors);
  const MatmulResult finish(workload, shape);
  ElementReference reference = reference_of(places.size());
  tbb::parallel_for(std::size_t{0}, places.size(), [&](std::size_t e) {
    const IndexOfC at_c = index_of_c(shape, places[e]);
    std::vector<double> a(static_cast<std::size_t>(shape.k)), b(a.size());
    read_row_of_a(shape, *inputs.a, at_c.number, at_c.row, a);
    read_column_of_b(shape, *inputs.b, at_c.number, at_c.column, b);
    // Kahan's summation: sums of many terms in float64 are held to bounds of that type, too.
    double sum = 0, lost = 0, squares = 0;
    for (std::size_t r = 0; r < a.size(); ++r) {
      const double product = a[r] * b[r], term = product - lost, after = sum + term;
      lost = (after - sum) - term;
      sum = after;
      squares += product * product;
    }
    const auto place = static_cast<std::size_t>(places[e]);
    const ElementOfC c = finish(sum, squares, at(inputs.before, place),
                                at(inputs.bias, static_cast<std::size_t>(at_c.column)), at(inputs.residual, place));
    reference.expected[e] = c.value;
    reference.bound[e] = c.bound;
  });
  return reference;
}

}  // namespace nestwright
