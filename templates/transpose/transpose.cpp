#include "templates/transpose/transpose.h"

#include "nestwright/tensor.h"
#include "templates/checking/element_rows.h"
#include "templates/checking/mixed_magnitudes.h"

namespace nestwright {
namespace {

Definition define_transpose(const Workload& workload) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Type type = workload.type("dtype");
  const Tensor x = placeholder({Expr(rows), Expr(columns)}, type, "X");
  const Tensor y = compute({Expr(columns), Expr(rows)}, [&](Expr j, Expr i) { return x(i, j); }, "Y");
  return {{x, y}, 1, 0, 2.0 * type.bytes() * static_cast<double>(rows) * static_cast<double>(columns)};
}

InputSources transpose_wide_sources(const Workload& workload, const InputSources& uniform) {
  MixedMagnitudes magnitudes(workload.type("dtype"), workload);
  return {magnitudes.draw_each(uniform[0].size())};
}

ElementReference transpose_reference_at(const Workload& workload, const InputValues& inputs,
                                        std::span<const std::int64_t> places) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  ElementReference reference = reference_of(places.size());
  for_rows(places, rows, [&](const RowPlaces& column) {
    const std::size_t count = column.end - column.begin;
    const std::int64_t first = places[column.begin] - column.row * rows;
    const std::span<double> values = std::span(reference.expected).subspan(column.begin, count);
    const auto place = [&](std::int64_t row) { return static_cast<std::size_t>(row * columns + column.row); };
    if (places[column.end - 1] - places[column.begin] + 1 == static_cast<std::int64_t>(count)) {
      inputs[0]->read(place(first), static_cast<std::size_t>(columns), values);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = (*inputs[0])[place(places[column.begin + i] - column.row * rows)];
    }
  });
  return reference;
}

LargeChecks transpose_checks() {
  return {.reference_at = transpose_reference_at, .wide_inputs = transpose_wide_sources};
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
          wide_inputs_of(transpose_checks()),
          {},
          transpose_checks()};
}

Reference transpose_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t elements = workload.size("rows") * workload.size("columns");
  check_sizes(workload, inputs, {elements});
  return whole_reference(transpose_checks(), workload, inputs, elements);
}

}  // namespace nestwright
