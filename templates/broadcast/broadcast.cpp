#include "templates/broadcast/broadcast.h"

#include <tbb/parallel_for.h>

#include <array>

#include "expression/tensor.h"
#include "support/error.h"
#include "templates/checking/rounding.h"
#include "templates/pointwise/functions.h"

namespace nestwright {
namespace {

bool is_row(const Workload& workload) { return workload.choice("vector") == "row"; }

Definition define_broadcast(const Workload& workload) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const bool row = is_row(workload);
  const std::int64_t length = row ? columns : rows;
  const Type type = workload.type("dtype");
  const Tensor x = placeholder({Expr(rows), Expr(columns)}, type, "X"), v = placeholder({Expr(length)}, type, "V");
  const Tensor y = compute(
      {Expr(rows), Expr(columns)},
      [&](Expr i, Expr j) { return function.apply(std::vector<Expr>{x(i, j), v(row ? j : i)}); }, "Y");
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  return {{x, v, y}, 2, function.flops * elements, type.bytes() * (2 * elements + static_cast<double>(length))};
}

}  // namespace

Operator broadcast_operator() {
  using Kind = OperatorParameter::Kind;
  return {"broadcast",
          "a function of the elements of a matrix and of a vector that goes with each of its rows or columns",
          {{"function", "what is computed of an element of the matrix and one of the vector", Kind::kChoice, "",
            pointwise_names(2)},
           {"rows", "the number of rows of the matrix", Kind::kSize, ""},
           {"columns", "the number of columns of the matrix", Kind::kSize, ""},
           {"vector", "whether the vector is a row or a column", Kind::kChoice, "row", {"row", "column"}},
           {"dtype", "the type of the elements", Kind::kType, "float32", {"float32"}}},
          define_broadcast,
          broadcast_reference,
          {},
          pointwise_wide_inputs};
}

Reference broadcast_reference(const Workload& workload, const HostTensors& inputs) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const auto rows = static_cast<std::size_t>(workload.size("rows")),
             columns = static_cast<std::size_t>(workload.size("columns"));
  const bool row = is_row(workload);
  if (inputs.size() != 2 || inputs[0].size() != rows * columns || inputs[1].size() != (row ? columns : rows)) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  const double eps = epsilon_of(workload.type("dtype"));
  Reference reference = one_result(rows * columns);
  tbb::parallel_for(std::size_t{0}, rows * columns, [&](std::size_t at) {
    const std::array values = {inputs[0][at], inputs[1][row ? at % columns : at / columns]};
    const Judged judged = function.judge(values, eps);
    reference.expected[0][at] = judged.value;
    reference.bound[0][at] = judged.bound;
  });
  return reference;
}

}  // namespace nestwright
