// The parts that the references of a matmul share: of all elements, of some, and of sums over rows. Internal to
// templates/matmul.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nestwright/template.h"
#include "templates/checking/rounding.h"
#include "templates/matmul/shape.h"

namespace nestwright {

/// The inputs by their roles; nullptr for those that the workload does not have.
struct MatmulInputs {
  const TensorValues *a = nullptr, *b = nullptr, *before = nullptr, *bias = nullptr, *residual = nullptr;
};

/// Throws UsageError for tensors of other sizes.
MatmulInputs sort_inputs(const Workload& workload, const MatmulShape& shape, const InputValues& tensors);

/// Reads elements of A or B as they are multiplied: rounded to tf32 where the workload says so.
void read_operand(const MatmulShape& shape, const TensorValues& tensor, std::size_t begin, std::size_t stride,
                  std::span<double> values);

/// The element of C at a place in memory.
struct IndexOfC {
  std::int64_t number = 0, row = 0, column = 0;
};
IndexOfC index_of_c(const MatmulShape& shape, std::int64_t place);

/// Row `i` of op(A), and column `j` of op(B), of product `number` of a batch.
void read_row_of_a(const MatmulShape& shape, const TensorValues& a, std::int64_t number, std::int64_t i,
                   std::span<double> values);
void read_column_of_b(const MatmulShape& shape, const TensorValues& b, std::int64_t number, std::int64_t j,
                      std::span<double> values);

/// What rounding an epilogue adds, in eps of the sum of the magnitudes of what it adds up: each of at most five steps
/// rounds a partial sum, which is no larger.
inline constexpr double kEpilogueSteps = 5;

struct ElementOfC {
  double value, bound;
};

/// Applies the epilogue to a sum and bounds the error.
class MatmulResult {
 public:
  MatmulResult(const Workload& workload, const MatmulShape& shape);

  const SumError& precision() const { return precision_; }
  double epsilon() const { return epsilon_; }
  /// `before`, `bias` and `residual` are 0 if the workload has none.
  ElementOfC operator()(double sum, double sum_squares, double before, double bias, double residual) const;

 private:
  Epilogue epilogue_;
  SumError precision_;
  double epsilon_;
};

}  // namespace nestwright
