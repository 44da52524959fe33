// OpenBLAS. Which kernels it takes is decided by OPENBLAS_CORETYPE, which bench_matmul sets: left alone, it takes those
// for older processors on many machines.

#include <cblas.h>
#include <fmt/format.h>

#include "bench/compare/product.h"

namespace nestwright::bench {

Product make_product(const ProductRequest& r) {
  openblas_set_num_threads(r.threads);
  const std::string core = openblas_get_corename(), config = openblas_get_config();
  return {.detail = fmt::format("{}, core {}", config.substr(0, config.find(" NO_")), core),
          .runs_avx512 = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids",
          .call = [p = r.problem, a = r.a, b = r.b, c = r.c] {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1.0f, a, p.k, b, p.n, 0.0f, c, p.n);
          }};
}

}  // namespace nestwright::bench
