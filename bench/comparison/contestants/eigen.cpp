// Eigen, compiled for this machine's instruction set, with OpenMP.

#include <fmt/format.h>

#include <Eigen/Core>

#include "bench/comparison/contestants/eigen_memory_bound.h"
#include "bench/comparison/contestants/matmul_sizes.h"

namespace nestwright::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using Rows = Eigen::OuterStride<>;

void multiply(const MatmulSizes& s, const MatmulOperands& t) {
  const Eigen::Map<const Matrix, 0, Rows> a(t.a, s.ta ? s.k : s.m, s.ta ? s.m : s.k, Rows(s.lda)),
      b(t.b, s.tb ? s.n : s.k, s.tb ? s.k : s.n, Rows(s.ldb));
  Eigen::Map<Matrix, 0, Rows> c(t.c, s.m, s.n, Rows(s.ldc));
  if (s.ta && s.tb) {
    c.noalias() = s.alpha * a.transpose() * b.transpose();
  } else if (s.ta) {
    c.noalias() = s.alpha * a.transpose() * b;
  } else if (s.tb) {
    c.noalias() = s.alpha * a * b.transpose();
  } else {
    c.noalias() = s.alpha * a * b;
  }
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = float32_matmul(request.workload);
  auto other = sizes ? std::nullopt : eigen_memory_bound_calls(request);
  if (!sizes && !other) return CannotDo{"has no expression for it"};
  if (sizes) {
    if (const std::string why = beyond_blas(*sizes); !why.empty()) return CannotDo{why};
  }
  if (request.weights == Weights::kPrepacked) return CannotDo{"has no interface for prepacked operands"};
  Eigen::setNbThreads(request.threads);
  const std::string simd = Eigen::SimdInstructionSetsInUse();
  const auto call = [&sizes](const Operands& operands) {
    return [s = *sizes, t = matmul_operands(operands)] {
      for_each_product(s, t, [&](const MatmulOperands& p) { multiply(s, p); });
    };
  };
  return Operation{
      .detail = fmt::format("{}.{}.{}, {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, simd),
      .runs_avx512 = simd.find("AVX512") != std::string::npos,
      .calls = other ? std::move(*other) : calls_for(request.copies, call)};
}

}  // namespace nestwright::bench
