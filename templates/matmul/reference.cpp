#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/chunks.h"
#include "support/error.h"
#include "templates/checking/exact_product.h"
#include "templates/checking/rounding.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/shape.h"

namespace nestwright {
namespace {

/// Matrix `number` of a batch, compact and row-major; transposed where `transposed` is set.
std::vector<double> read_matrix(const std::vector<double>& memory, const MatrixLayout& layout, std::int64_t number,
                                bool transposed) {
  const auto rows = static_cast<std::size_t>(layout.rows), columns = static_cast<std::size_t>(layout.columns);
  std::vector<double> result(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const double* const row =
        &memory[static_cast<std::size_t>(number * layout.step) + r * static_cast<std::size_t>(layout.leading)];
    for (std::size_t c = 0; c < columns; ++c) result[transposed ? c * rows + r : r * columns + c] = row[c];
  }
  return result;
}

/// Rounds to tf32 as ir::Intrinsic::kRoundTf32 does, by another method. Requires a float32.
double rounded_to_tf32(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), std::numeric_limits<float>::min_exponent - 1);
  return static_cast<float>(std::scalbn(std::round(std::scalbn(x, 10 - exponent)), exponent - 10));
}

struct ElementOfC {
  double value, bound;
};

/// Applies the epilogue to a sum and bounds the error; `before`, `bias` and `residual` are 0 if it has none.
class Finish {
 public:
  Finish(const Epilogue& epilogue, const SumError& precision, double epsilon)
      : epilogue_(epilogue), precision_(precision), epsilon_(epsilon) {}

  ElementOfC operator()(double sum, double sum_squares, double before, double bias, double residual) const {
    const long double product = static_cast<long double>(epilogue_.alpha) * sum;
    const long double x = product + static_cast<long double>(epilogue_.beta) * before + bias + residual;
    double bound = std::abs(epilogue_.alpha) * precision_.of(sum_squares);
    if (epilogue_.is_none()) return {precision_.wraps ? wrapped_int32(sum) : sum, bound};
    // Each of at most five steps rounds a partial sum, which is no larger than the sum of the parts.
    bound +=
        kSteps * epsilon_ *
        (std::abs(epilogue_.alpha * sum) + std::abs(epilogue_.beta * before) + std::abs(bias) + std::abs(residual));
    switch (epilogue_.activation) {
      case Epilogue::Activation::kNone:
        return {static_cast<double>(x), bound};
      case Epilogue::Activation::kRelu:
        return {static_cast<double>(std::max(x, 0.0L)), bound};
      case Epilogue::Activation::kGelu: {
        // GELU is nowhere steeper than 1.13; where it is near 0, the error of 1 + erf is still multiplied by x.
        const long double y = x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<long double>));
        return {static_cast<double>(y), 1.13 * bound + kSteps * epsilon_ * static_cast<double>(std::abs(x))};
      }
    }
    throw InternalError("unknown activation");
  }

 private:
  static constexpr double kSteps = 5;
  const Epilogue& epilogue_;
  SumError precision_;
  double epsilon_;
};

/// The inputs by their roles; nullptr for those that the workload does not have.
struct Inputs {
  const std::vector<double>*a = nullptr, *b = nullptr, *before = nullptr, *bias = nullptr, *residual = nullptr;
};

Inputs sort_inputs(const Workload& workload, const MatmulShape& shape, const HostTensors& tensors) {
  Inputs inputs;
  std::size_t next = 0;
  const auto take = [&](bool is_there, std::size_t size) -> const std::vector<double>* {
    if (!is_there) return nullptr;
    if (next >= tensors.size() || tensors[next].size() != size) {
      throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
    }
    return &tensors[next++];
  };
  inputs.a = take(true, elements_of(shape.a, shape));
  inputs.b = take(true, elements_of(shape.b, shape));
  inputs.before = take(shape.epilogue.beta != 0, elements_of(shape.c, shape));
  inputs.bias = take(shape.epilogue.bias, static_cast<std::size_t>(shape.n));
  inputs.residual = take(shape.epilogue.residual, elements_of(shape.c, shape));
  take(next != tensors.size(), std::numeric_limits<std::size_t>::max());
  return inputs;
}

}  // namespace

Reference matmul_reference(const Workload& workload, const HostTensors& tensors) {
  const MatmulShape shape = matmul_shape(workload);
  const Inputs inputs = sort_inputs(workload, shape, tensors);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  const SumError precision = sum_error(static_cast<double>(k), matmul_types(workload.type("dtype")).sum);
  // Products of integers have no epilogue.
  const Finish finish(shape.epilogue, precision, shape.type.is_float() ? epsilon_of(shape.type) : 0);

  // Between the rows of C a kernel must not write.
  constexpr double kUntouched = std::numeric_limits<double>::quiet_NaN();
  Reference reference = one_result(elements_of(shape.c, shape), kUntouched);
  for (std::int64_t number = 0; number < shape.batch; ++number) {
    std::vector<double> a = read_matrix(*inputs.a, shape.a, number, shape.ta),
                        b = read_matrix(*inputs.b, shape.b, number, shape.tb);
    if (shape.in_tf32) {
      for (std::vector<double>* operand : {&a, &b}) {
        for_chunks(operand->size(), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) (*operand)[i] = rounded_to_tf32((*operand)[i]);
        });
      }
    }
    const ExactProduct sums = exact_product(a, b, m, n, k);
    tbb::parallel_for(std::size_t{0}, m, [&](std::size_t i) {
      const std::size_t row =
          static_cast<std::size_t>(number * shape.c.step) + i * static_cast<std::size_t>(shape.c.leading);
      for (std::size_t j = 0; j < n; ++j) {
        const auto at = [&](const std::vector<double>* tensor, std::size_t index) {
          return tensor ? (*tensor)[index] : 0;
        };
        const ElementOfC c = finish(sums.sum[i * n + j], sums.sum_squares[i * n + j], at(inputs.before, row + j),
                                    at(inputs.bias, j), at(inputs.residual, row + j));
        reference.expected[0][row + j] = c.value;
        reference.bound[0][row + j] = c.bound;
      }
    });
  }
  return reference;
}

}  // namespace nestwright
