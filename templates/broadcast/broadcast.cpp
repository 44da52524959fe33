#include "templates/broadcast/broadcast.h"

#include <array>

#include "nestwright/tensor.h"
#include "templates/checking/element_rows.h"
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

ElementReference broadcast_reference_at(const Workload& workload, const InputValues& inputs,
                                        std::span<const std::int64_t> places) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const std::int64_t columns = workload.size("columns");
  const bool row_vector = is_row(workload);
  const double eps = epsilon_of(workload.type("dtype"));
  ElementReference reference = reference_of(places.size());
  for_rows(places, columns, [&](const RowPlaces& row) {
    const std::span<const std::int64_t> some = places.subspan(row.begin, row.end - row.begin);
    std::vector<double> x(some.size()), v(some.size());
    read_places(*inputs[0], some, 0, x);
    if (row_vector) {
      read_places(*inputs[1], some, -row.row * columns, v);
    } else {
      v.assign(v.size(), (*inputs[1])[static_cast<std::size_t>(row.row)]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      const BoundedValue judged = function.evaluate(std::array{x[i], v[i]}, eps);
      reference.expected[row.begin + i] = judged.value;
      reference.bound[row.begin + i] = judged.bound;
    }
  });
  return reference;
}

LargeChecks broadcast_checks() {
  return {.reference_at = broadcast_reference_at, .wide_inputs = pointwise_wide_inputs};
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
          wide_inputs_of(broadcast_checks()),
          {},
          broadcast_checks()};
}

Reference broadcast_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  check_sizes(workload, inputs, {rows * columns, is_row(workload) ? columns : rows});
  return whole_reference(broadcast_checks(), workload, inputs, rows * columns);
}

}  // namespace nestwright
