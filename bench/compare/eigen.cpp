// Eigen, compiled for this very machine, with OpenMP.

#include <fmt/format.h>

#include <Eigen/Core>

#include "bench/compare/product.h"

namespace nestwright::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Product make_product(const ProductRequest& r) {
  Eigen::setNbThreads(r.threads);
  const std::string simd = Eigen::SimdInstructionSetsInUse();
  return {.detail = fmt::format("{}.{}.{}, {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, simd),
          .runs_avx512 = simd.find("AVX512") != std::string::npos,
          .call = [p = r.problem, a = r.a, b = r.b, c = r.c] {
            const Eigen::Map<const Matrix> left(a, p.m, p.k), right(b, p.k, p.n);
            Eigen::Map<Matrix>(c, p.m, p.n).noalias() = left * right;
          }};
}

}  // namespace nestwright::bench
