#include "templates/matmul/result_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Rounds to tf32 as ir::Intrinsic::kRoundTf32 does, by another method. Requires a float32.
double rounded_to_tf32(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), std::numeric_limits<float>::min_exponent - 1);
  return static_cast<float>(std::scalbn(std::round(std::scalbn(x, 10 - exponent)), exponent - 10));
}

std::size_t place(const MatrixLayout& layout, std::int64_t number, std::int64_t row, std::int64_t column) {
  return static_cast<std::size_t>(number * layout.step + row * layout.leading + column);
}

}  // namespace

MatmulInputs sort_inputs(const Workload& workload, const MatmulShape& shape, const InputValues& tensors) {
  MatmulInputs inputs;
  std::size_t next = 0;
  const auto take = [&](bool is_there, std::size_t size) -> const TensorValues* {
    if (!is_there) return nullptr;
    if (next >= tensors.size() || tensors[next]->size() != size) {
      throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
    }
    return tensors[next++].get();
  };
  inputs.a = take(true, elements_of(shape.a, shape));
  inputs.b = take(true, elements_of(shape.b, shape));
  inputs.before = take(shape.epilogue.beta != 0, elements_of(shape.c, shape));
  inputs.bias = take(shape.epilogue.bias, static_cast<std::size_t>(shape.n));
  inputs.residual = take(shape.epilogue.residual, elements_of(shape.c, shape));
  take(next != tensors.size(), std::numeric_limits<std::size_t>::max());
  return inputs;
}

void read_operand(const MatmulShape& shape, const TensorValues& tensor, std::size_t begin, std::size_t stride,
                  std::span<double> values) {
  tensor.read(begin, stride, values);
  if (!shape.in_tf32) return;
  for (double& value : values) value = rounded_to_tf32(value);
}

IndexOfC index_of_c(const MatmulShape& shape, std::int64_t place) {
  const MatrixLayout& c = shape.c;
  if (shape.batch == 1) return {0, place / c.leading, place % c.leading};
  const bool one_after_the_other = c.step >= (c.rows - 1) * c.leading + c.columns;
  if (one_after_the_other) return {place / c.step, place % c.step / c.leading, place % c.step % c.leading};
  return {place % c.leading / c.step, place / c.leading, place % c.leading % c.step};
}

void read_row_of_a(const MatmulShape& shape, const TensorValues& a, std::int64_t number, std::int64_t i,
                   std::span<double> values) {
  if (!shape.ta) return read_operand(shape, a, place(shape.a, number, i, 0), 1, values);
  read_operand(shape, a, place(shape.a, number, 0, i), static_cast<std::size_t>(shape.a.leading), values);
}

void read_column_of_b(const MatmulShape& shape, const TensorValues& b, std::int64_t number, std::int64_t j,
                      std::span<double> values) {
  if (shape.tb) return read_operand(shape, b, place(shape.b, number, j, 0), 1, values);
  read_operand(shape, b, place(shape.b, number, 0, j), static_cast<std::size_t>(shape.b.leading), values);
}

// Products of integers have no epilogue.
MatmulResult::MatmulResult(const Workload& workload, const MatmulShape& shape)
    : epilogue_(shape.epilogue),
      precision_(sum_error(static_cast<double>(shape.k), matmul_types(workload.type("dtype")).sum)),
      epsilon_(shape.type.is_float() ? epsilon_of(shape.type) : 0) {}

ElementOfC MatmulResult::operator()(double sum, double sum_squares, double before, double bias, double residual) const {
  const long double product = static_cast<long double>(epilogue_.alpha) * sum;
  const long double x = product + static_cast<long double>(epilogue_.beta) * before + bias + residual;
  double bound = std::abs(epilogue_.alpha) * precision_.of(sum_squares);
  if (epilogue_.is_none()) return {precision_.wraps ? wrapped_int32(sum) : sum, bound};
  bound += kEpilogueSteps * epsilon_ *
           (std::abs(epilogue_.alpha * sum) + std::abs(epilogue_.beta * before) + std::abs(bias) + std::abs(residual));
  switch (epilogue_.activation) {
    case Epilogue::Activation::kNone:
      return {static_cast<double>(x), bound};
    case Epilogue::Activation::kRelu:
      return {static_cast<double>(std::max(x, 0.0L)), bound};
    case Epilogue::Activation::kGelu: {
      // GELU is nowhere steeper than 1.13; where it is near 0, the error of 1 + erf is still multiplied by x.
      const long double y = x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<long double>));
      return {static_cast<double>(y), 1.13 * bound + kEpilogueSteps * epsilon_ * static_cast<double>(std::abs(x))};
    }
  }
  throw InternalError("unknown activation");
}

}  // namespace nestwright
