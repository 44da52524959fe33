// Eigen, compiled for this very machine, with OpenMP.

#include <fmt/format.h>

#include <Eigen/Core>

#include "bench/comparison/contestants/eigen_memory_bound.h"
#include "bench/comparison/contestants/matmul_sizes.h"

namespace nestwright::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void multiply(const MatmulSizes& s, const MatmulOperands& t) {
  const Eigen::Map<const Matrix> a(t.a, s.ta ? s.k : s.m, s.lda()), b(t.b, s.tb ? s.n : s.k, s.ldb());
  Eigen::Map<Matrix> c(t.c, s.m, s.n);
  if (s.ta && s.tb) {
    c.noalias() = a.transpose() * b.transpose();
  } else if (s.ta) {
    c.noalias() = a.transpose() * b;
  } else if (s.tb) {
    c.noalias() = a * b.transpose();
  } else {
    c.noalias() = a * b;
  }
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = float32_matmul(request.workload);
  auto other = sizes ? std::nullopt : eigen_memory_bound_calls(request);
  if (!sizes && !other) return CannotDo{"has no expression for it"};
  if (request.weights == Weights::kPrepacked) return CannotDo{"has no interface for prepacked operands"};
  Eigen::setNbThreads(request.threads);
  const std::string simd = Eigen::SimdInstructionSetsInUse();
  const auto call = [&sizes](const Operands& operands) {
    return [s = *sizes, t = matmul_operands(operands)] { multiply(s, t); };
  };
  return Operation{
      .detail = fmt::format("{}.{}.{}, {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, simd),
      .runs_avx512 = simd.find("AVX512") != std::string::npos,
      .calls = other ? std::move(*other) : calls_for(request.copies, call)};
}

}  // namespace nestwright::bench
