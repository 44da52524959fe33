// BLIS. Which kernels it takes is decided by BLIS_ARCH_TYPE, which bench_matmul sets.

#include <blis.h>
#include <fmt/format.h>

#include "bench/compare/product.h"

namespace nestwright::bench {

Product make_product(const ProductRequest& r) {
  bli_init();  // before anything is asked, or BLIS 0.9 aborts
  bli_thread_set_num_threads(r.threads);
  const arch_t arch = bli_arch_query_id();
  return {.detail = fmt::format("{}, {}", bli_info_get_version_str(), bli_arch_string(arch)),
          .runs_avx512 = arch == BLIS_ARCH_SKX,
          .call = [p = r.problem, a = r.a, b = r.b, c = r.c] {
            float one = 1, zero = 0;
            bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p.m, p.n, p.k, &one, const_cast<float*>(a), p.k, 1,
                      const_cast<float*>(b), p.n, 1, &zero, c, p.n, 1);
          }};
}

}  // namespace nestwright::bench
