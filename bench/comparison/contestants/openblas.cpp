// OpenBLAS. OPENBLAS_CORETYPE, which bench_compare sets, chooses its kernels; without it, OpenBLAS chooses those of
// older processors on many machines.

#include <cblas.h>
#include <fmt/format.h>

#include "bench/comparison/contestants/matmul_sizes.h"
#include "bench/comparison/contestants/transpose_sizes.h"

// The build for numerical Python has other function names.
#ifdef NESTWRIGHT_SCIPY_OPENBLAS
#define NAMED(function) scipy_##function##64_
#else
#define NAMED(function) function
#endif

namespace nestwright::bench {

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = float32_matmul(request.workload);
  const auto turned = float32_transpose(request.workload);
  if (!sizes && !turned) return CannotDo{"float32 matmul and transpose only"};
  if (sizes) {
    if (const std::string why = beyond_blas(*sizes); !why.empty()) return CannotDo{why};
  }
  if (request.weights == Weights::kPrepacked) return CannotDo{"has no interface for prepacked operands"};
  NAMED(openblas_set_num_threads)(request.threads);
  const std::string core = NAMED(openblas_get_corename)();
  const std::string config = NAMED(openblas_get_config)();
  const auto turn = [&turned](const Operands& operands) {
    return [s = *turned, operands] {
      NAMED(cblas_somatcopy)
      (CblasRowMajor, CblasTrans, static_cast<blasint>(s.rows), static_cast<blasint>(s.columns), 1.0f,
       static_cast<const float*>(operands.inputs[0]), static_cast<blasint>(s.columns),
       static_cast<float*>(operands.outputs[0]), static_cast<blasint>(s.rows));
    };
  };
  const auto call = [&sizes](const Operands& operands) {
    return [s = *sizes, t = matmul_operands(operands)] {
      for_each_product(s, t, [&](const MatmulOperands& p) {
        NAMED(cblas_sgemm)
        (CblasRowMajor, s.ta ? CblasTrans : CblasNoTrans, s.tb ? CblasTrans : CblasNoTrans, s.m, s.n, s.k, s.alpha, p.a,
         s.lda, p.b, s.ldb, 0.0f, p.c, s.ldc);
      });
    };
  };
  const std::size_t options = std::min(config.find(" NO_"), config.find(" USE64"));
  return Operation{.detail = fmt::format("{}, core {}", config.substr(0, options), core),
                   .runs_avx512 = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids",
                   .calls = turned ? calls_for(request.copies, turn) : calls_for(request.copies, call)};
}

}  // namespace nestwright::bench
