#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "ir/core/fold.h"
#include "support/chunks.h"
#include "support/hash.h"
#include "templates/checking/whole_numbers.h"
#include "templates/checking/wide_magnitudes.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/shape.h"

namespace nestwright {
namespace {

using Scales = std::vector<double>;

/// Whether each matrix of a batch begins behind the one before: those of inputs may have elements in common.
bool has_own_matrices(const MatrixLayout& layout, std::int64_t batch) {
  return batch == 1 || layout.step >= (layout.rows - 1) * layout.leading + layout.columns;
}

/// Multiplies `values` by the scales of their rows and columns in op(matrix).
void multiply(std::vector<double>& values, const MatrixLayout& layout, const MatmulShape& shape, bool transposed,
              const Scales& rows, const Scales& columns) {
  const bool is_own = has_own_matrices(layout, shape.batch);
  // An element that several matrices share is scaled once: by its place in the last of them.
  const std::vector<double> copy = is_own ? std::vector<double>() : values;
  const std::vector<double>& before = is_own ? values : copy;
  const auto multiply_row = [&](std::int64_t number, std::int64_t row) {
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      const auto at = static_cast<std::size_t>(number * layout.step + row * layout.leading + column);
      values[at] = before[at] * rows[static_cast<std::size_t>(transposed ? column : row)] *
                   columns[static_cast<std::size_t>(transposed ? row : column)];
    }
  };
  for (std::int64_t number = 0; number < shape.batch; ++number) {
    tbb::parallel_for(std::int64_t{0}, layout.rows, [&](std::int64_t row) { multiply_row(number, row); });
  }
}

/// Whether results and their bounds are those of the uniform inputs times the scales, exactly: every element has one
/// scale, nothing is added to a bound that does not scale (the least normal number of float16 is), and what is applied
/// to sums scales as well.
bool scales_exactly(const MatmulShape& shape) {
  return has_own_matrices(shape.a, shape.batch) && has_own_matrices(shape.b, shape.batch) && shape.type != kFloat16 &&
         shape.epilogue.activation != Epilogue::Activation::kGelu;
}

}  // namespace

HostTensors matmul_whole_inputs(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  const Epilogue& epilogue = shape.epilogue;
  const bool is_whole = std::trunc(epilogue.alpha) == epilogue.alpha && std::trunc(epilogue.beta) == epilogue.beta;
  if (!shape.type.is_float() || !is_whole || epilogue.activation == Epilogue::Activation::kGelu) return {};
  // Beside the product there are up to three numbers of at most 8, one of them times beta.
  const double beside = 8 * (std::abs(epilogue.beta) + 2);
  const double largest = (largest_exact(shape.type) - beside) / std::max(std::abs(epilogue.alpha), 1.0);
  if (largest < 16) return {};
  const std::uint64_t seed = stable_hash(workload.str());
  WholeNumbers factors(static_cast<double>(shape.k), 2, largest, seed), others(1, 1, 16, seed + 1);
  HostTensors inputs;
  for (const MatrixLayout* layout : {&shape.a, &shape.b}) inputs.push_back(factors.draw(elements_of(*layout, shape)));
  if (epilogue.beta != 0) inputs.push_back(others.draw(elements_of(shape.c, shape)));
  if (epilogue.bias) inputs.push_back(others.draw(static_cast<std::size_t>(shape.n)));
  if (epilogue.residual) inputs.push_back(others.draw(elements_of(shape.c, shape)));
  return inputs;
}

CheckedInputs matmul_wide_inputs(const Workload& workload, const CheckedInputs& uniform) {
  const MatmulShape shape = matmul_shape(workload);
  if (!shape.type.is_float()) return {};
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  WideMagnitudes magnitudes(shape.type, workload);
  // One bias is added to all rows, which then cannot have scales of their own.
  const ProductReach reach =
      product_reach(magnitudes, shape.type, static_cast<double>(shape.k), shape.m, shape.n, shape.epilogue.bias);
  const Scales rows = magnitudes.scales(m, reach.rows), columns = magnitudes.scales(n, reach.columns),
               terms = magnitudes.scales(k, reach.term);
  Scales inverse_terms(k);
  std::transform(terms.begin(), terms.end(), inverse_terms.begin(), [](double scale) { return 1 / scale; });

  CheckedInputs wide{uniform.inputs, {}};
  std::size_t next = 0;
  multiply(wide.inputs[next++], shape.a, shape, shape.ta, rows, terms);
  multiply(wide.inputs[next++], shape.b, shape, shape.tb, inverse_terms, columns);
  if (shape.epilogue.beta != 0) multiply(wide.inputs[next++], shape.c, shape, false, rows, columns);
  if (shape.epilogue.bias) {
    std::vector<double>& bias = wide.inputs[next++];
    std::transform(bias.begin(), bias.end(), columns.begin(), bias.begin(), std::multiplies<>());
  }
  if (shape.epilogue.residual) multiply(wide.inputs[next++], shape.c, shape, false, rows, columns);
  const ir::Type input_type = matmul_types(workload.type("dtype")).a;
  for (std::vector<double>& tensor : wide.inputs) {
    for_chunks(tensor.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) tensor[i] = ir::round_float(tensor[i], input_type);
    });
  }

  if (!scales_exactly(shape)) return wide;
  wide.reference = uniform.reference;
  multiply(wide.reference.expected[0], shape.c, shape, false, rows, columns);
  multiply(wide.reference.bound[0], shape.c, shape, false, rows, columns);
  return wide;
}

}  // namespace nestwright
