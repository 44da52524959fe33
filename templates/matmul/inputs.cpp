#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "ir/core/fold.h"
#include "support/base/chunks.h"
#include "support/data/hash.h"
#include "templates/checking/integers.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/shape.h"

namespace nestwright {
namespace {

using Scales = std::vector<double>;

/// Whether each matrix of a batch begins behind the one before: those of inputs may have elements in common.
bool has_own_matrices(const MatrixLayout& layout, std::int64_t batch) {
  return batch == 1 || layout.step >= (layout.rows - 1) * layout.leading + layout.columns;
}

/// The scales of the rows and columns of op(matrix).
struct MatrixScales {
  MatrixLayout layout;
  std::int64_t batch = 1;
  bool transposed = false;
  Scales rows, columns;

  /// That of the element at a place in memory, by its place in the last matrix that has it; 1 between the rows.
  double at(std::size_t place) const {
    const auto where = static_cast<std::int64_t>(place);
    // Of matrices that overlap, an earlier one may be the last that has the element.
    for (std::int64_t number = std::min(where / layout.step, batch - 1); number >= 0; --number) {
      const std::int64_t inside = where - number * layout.step, row = inside / layout.leading,
                         column = inside % layout.leading;
      if (row >= layout.rows) break;
      if (column >= layout.columns) continue;
      return rows[static_cast<std::size_t>(transposed ? column : row)] *
             columns[static_cast<std::size_t>(transposed ? row : column)];
    }
    return 1;
  }
};

/// The values times their scales, rounded to the type.
InputSource multiplied(const InputSource& values, MatrixScales scales, ir::Type type) {
  return {values.size(), [values, scales = std::move(scales), type](std::size_t begin, std::span<double> chunk) {
            values.read_chunk(begin, chunk);
            for (std::size_t i = 0; i < chunk.size(); ++i) {
              chunk[i] = ir::round_float(chunk[i] * scales.at(begin + i), type);
            }
          }};
}

void multiply(std::vector<double>& values, const MatrixScales& scales) {
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] *= scales.at(i);
  });
}

/// Whether results and their bounds are those of the uniform inputs times the scales, exactly: every element has one
/// scale, nothing is added to a bound that does not scale (the least normal number of float16 is), and what is applied
/// to sums scales as well.
bool scales_exactly(const MatmulShape& shape) {
  return has_own_matrices(shape.a, shape.batch) && has_own_matrices(shape.b, shape.batch) && shape.type != kFloat16 &&
         shape.epilogue.activation != Epilogue::Activation::kGelu;
}

/// Scales of the rows and columns of C and of the steps of k, the same in every run of a workload.
struct ProductScales {
  Scales rows, columns, terms;
};

ProductScales product_scales(const Workload& workload, const MatmulShape& shape) {
  MixedMagnitudes magnitudes(shape.type, workload);
  // One bias is added to all rows, which then cannot have scales of their own.
  const ProductReach reach =
      product_reach(magnitudes, shape.type, static_cast<double>(shape.k), shape.m, shape.n, shape.epilogue.bias);
  ProductScales scales;
  scales.rows = magnitudes.scales(static_cast<std::size_t>(shape.m), reach.rows);
  scales.columns = magnitudes.scales(static_cast<std::size_t>(shape.n), reach.columns);
  scales.terms = magnitudes.scales(static_cast<std::size_t>(shape.k), reach.term);
  return scales;
}

MatrixScales scales_of_c(const MatmulShape& shape, const ProductScales& scales) {
  return {shape.c, shape.batch, false, scales.rows, scales.columns};
}

InputSources integer_sources(const Workload& workload, Signs signs) {
  const MatmulShape shape = matmul_shape(workload);
  const Epilogue& epilogue = shape.epilogue;
  const bool is_whole = std::trunc(epilogue.alpha) == epilogue.alpha && std::trunc(epilogue.beta) == epilogue.beta;
  if (!shape.type.is_float() || !is_whole) return {};
  // Beside the product there are up to three numbers of at most 8, one of them times beta.
  const double beside = 8 * (std::abs(epilogue.beta) + 2);
  const double largest = (largest_exact(shape.type) - beside) / std::max(std::abs(epilogue.alpha), 1.0);
  if (largest < 16) return {};
  const std::uint64_t seed = stable_hash(workload.str());
  SmallIntegers factors(static_cast<double>(shape.k), 2, largest, seed, signs), others(1, 1, 16, seed + 1, signs);
  InputSources inputs;
  for (const MatrixLayout* layout : {&shape.a, &shape.b}) inputs.push_back(factors.draw(elements_of(*layout, shape)));
  if (epilogue.beta != 0) inputs.push_back(others.draw(elements_of(shape.c, shape)));
  if (epilogue.bias) inputs.push_back(others.draw(static_cast<std::size_t>(shape.n)));
  if (epilogue.residual) inputs.push_back(others.draw(elements_of(shape.c, shape)));
  return inputs;
}

}  // namespace

HostTensors matmul_integer_inputs(const Workload& workload) {
  const bool is_exact = matmul_shape(workload).epilogue.activation != Epilogue::Activation::kGelu;
  return is_exact ? values_of(integer_sources(workload, Signs::kMixed)) : HostTensors();
}

InputSources matmul_integer_sources(const Workload& workload) {
  const Epilogue epilogue = matmul_shape(workload).epilogue;
  if (epilogue.activation == Epilogue::Activation::kNone) return integer_sources(workload, Signs::kMixed);
  // The activation leaves positive sums as they are; a gelu those of 8 and more.
  if (epilogue.alpha < 0 || epilogue.beta < 0) return {};
  const bool is_gelu = epilogue.activation == Epilogue::Activation::kGelu;
  if (is_gelu && (epilogue.alpha < 1 || matmul_shape(workload).k < 8)) return {};
  return integer_sources(workload, Signs::kPositive);
}

InputSources matmul_wide_sources(const Workload& workload, const InputSources& uniform) {
  const MatmulShape shape = matmul_shape(workload);
  if (!shape.type.is_float()) return {};
  const ProductScales scales = product_scales(workload, shape);
  Scales inverse_terms(scales.terms.size());
  std::transform(scales.terms.begin(), scales.terms.end(), inverse_terms.begin(),
                 [](double scale) { return 1 / scale; });
  const ir::Type type = matmul_types(workload.type("dtype")).a;
  const MatrixScales of_c = scales_of_c(shape, scales);
  InputSources wide;
  const auto add = [&](const MatrixScales& with) { wide.push_back(multiplied(uniform[wide.size()], with, type)); };
  add({shape.a, shape.batch, shape.ta, scales.rows, scales.terms});
  add({shape.b, shape.batch, shape.tb, inverse_terms, scales.columns});
  if (shape.epilogue.beta != 0) add(of_c);
  if (shape.epilogue.bias) add({{1, shape.n, shape.n, shape.n}, 1, false, {1}, scales.columns});
  if (shape.epilogue.residual) add(of_c);
  return wide;
}

CheckedInputs matmul_wide_inputs(const Workload& workload, const CheckedInputs& uniform) {
  const MatmulShape shape = matmul_shape(workload);
  if (!shape.type.is_float()) return {};
  CheckedInputs wide{values_of(matmul_wide_sources(workload, sources_of(uniform.inputs))), {}};
  if (!scales_exactly(shape)) return wide;
  wide.reference = uniform.reference;
  const MatrixScales of_c = scales_of_c(shape, product_scales(workload, shape));
  multiply(wide.reference.expected[0], of_c);
  multiply(wide.reference.bound[0], of_c);
  return wide;
}

}  // namespace nestwright
