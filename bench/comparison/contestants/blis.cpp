// BLIS. BLIS_ARCH_TYPE, which bench_compare sets, chooses its kernels.

#include <blis.h>
#include <fmt/format.h>

#include "bench/comparison/contestants/matmul_sizes.h"

namespace nestwright::bench {

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = float32_matmul(request.workload);
  if (!sizes) return CannotDo{"float32 matmul only"};
  if (const std::string why = beyond_blas(*sizes); !why.empty()) return CannotDo{why};
  if (request.weights == Weights::kPrepacked) return CannotDo{"has no interface for prepacked operands"};
  bli_init();  // must come first: BLIS 0.9 aborts otherwise
  bli_thread_set_num_threads(request.threads);
  const arch_t arch = bli_arch_query_id();
  const auto call = [s = *sizes](const Operands& operands) {
    return [s, t = matmul_operands(operands)] {
      float alpha = s.alpha, zero = 0;
      for_each_product(s, t, [&](const MatmulOperands& p) {
        bli_sgemm(s.ta ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, s.tb ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE, s.m, s.n, s.k,
                  &alpha, const_cast<float*>(p.a), s.lda, 1, const_cast<float*>(p.b), s.ldb, 1, &zero, p.c, s.ldc, 1);
      });
    };
  };
  return Operation{.detail = fmt::format("{}, {}", bli_info_get_version_str(), bli_arch_string(arch)),
                   .runs_avx512 = arch == BLIS_ARCH_SKX,
                   .calls = calls_for(request.copies, call)};
}

}  // namespace nestwright::bench
