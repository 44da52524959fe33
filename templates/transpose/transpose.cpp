#include "templates/transpose/transpose.h"

#include <tbb/parallel_for.h>

#include "expression/tensor.h"
#include "support/error.h"
#include "templates/checking/wide_magnitudes.h"

namespace nestwright {
namespace {

Definition define_transpose(const Workload& workload) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Type type = workload.type("dtype");
  const Tensor x = placeholder({Expr(rows), Expr(columns)}, type, "X");
  const Tensor y = compute({Expr(columns), Expr(rows)}, [&](Expr j, Expr i) { return x(i, j); }, "Y");
  return {{x, y}, 1, 0, 2.0 * type.bytes() * static_cast<double>(rows) * static_cast<double>(columns)};
}

CheckedInputs transpose_wide_inputs(const Workload& workload, const CheckedInputs& uniform) {
  WideMagnitudes magnitudes(workload.type("dtype"), workload);
  CheckedInputs wide;
  wide.inputs.push_back(magnitudes.draw_each(uniform.inputs[0].size()));
  return wide;
}

}  // namespace

Operator transpose_operator() {
  using Kind = OperatorParameter::Kind;
  return {"transpose",
          "transposition of a matrix",
          {{"rows", "the number of rows of the input", Kind::kSize, ""},
           {"columns", "the number of columns of the input", Kind::kSize, ""},
           {"dtype", "the type of the elements", Kind::kType, "float32"}},
          define_transpose,
          transpose_reference,
          {},
          transpose_wide_inputs};
}

Reference transpose_reference(const Workload& workload, const HostTensors& inputs) {
  const auto rows = static_cast<std::size_t>(workload.size("rows")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  if (inputs.size() != 1 || inputs[0].size() != rows * columns) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  Reference reference = one_result(rows * columns);
  tbb::parallel_for(std::size_t{0}, columns, [&](std::size_t j) {
    for (std::size_t i = 0; i < rows; ++i) reference.expected[0][j * rows + i] = inputs[0][i * columns + j];
  });
  return reference;
}

}  // namespace nestwright
