// MKL, with Intel's OpenMP, the thread pool that it is made for. MKL chooses its kernels by the vendor of the
// processor; the library that it loads shows which.

#include <fmt/format.h>
#include <mkl.h>

#include <fstream>
#include <memory>

#include "bench/comparison/contestants/matmul_sizes.h"
#include "bench/comparison/contestants/transpose_sizes.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

/// The kernels that this process has loaded so far: "avx512", "avx2", "def" (generic), ...
std::string loaded_kernels() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (const char* name : {"avx10", "avx512", "avx2", "mc3", "def"}) {
      if (line.find(fmt::format("/libmkl_{}.so", name)) != std::string::npos) return name;
    }
  }
  return "unknown";
}

Calls plain_calls(const OperationRequest& request, const MatmulSizes& s) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, t = matmul_operands(operands)] {
      const CBLAS_TRANSPOSE ta = s.ta ? CblasTrans : CblasNoTrans, tb = s.tb ? CblasTrans : CblasNoTrans;
      if (s.batch == 1) {
        cblas_sgemm(CblasRowMajor, ta, tb, s.m, s.n, s.k, s.alpha, t.a, s.lda, t.b, s.ldb, 0.0f, t.c, s.ldc);
      } else {
        cblas_sgemm_batch_strided(CblasRowMajor, ta, tb, s.m, s.n, s.k, s.alpha, t.a, s.lda, static_cast<MKL_INT>(s.sa),
                                  t.b, s.ldb, static_cast<MKL_INT>(s.sb), 0.0f, t.c, s.ldc, static_cast<MKL_INT>(s.sc),
                                  s.batch);
      }
    };
  });
}

Calls prepacked_calls(const OperationRequest& request, const MatmulSizes& s) {
  return calls_for(request.copies, [&](const Operands& operands) {
    const MatmulOperands t = matmul_operands(operands);
    constexpr int kAlignment = 64;
    const std::shared_ptr<float> packed(
        static_cast<float*>(mkl_malloc(cblas_sgemm_pack_get_size(CblasBMatrix, s.m, s.n, s.k), kAlignment)), mkl_free);
    if (packed == nullptr) throw Error("MKL has no memory for a packed operand");
    cblas_sgemm_pack(CblasRowMajor, CblasBMatrix, s.tb ? CblasTrans : CblasNoTrans, s.m, s.n, s.k, s.alpha, t.b, s.ldb,
                     packed.get());
    return [s, t, packed] {
      cblas_sgemm_compute(CblasRowMajor, s.ta ? CblasTrans : CblasNoTrans, CblasPacked, s.m, s.n, s.k, t.a, s.lda,
                          packed.get(), s.ldb, 0.0f, t.c, s.ldc);
    };
  });
}

/// Calls for bfloat16 and for uint8 by int8, the narrow types of row-major products; MKL has none of int8 by int8.
Calls narrow_calls(const OperationRequest& request, const MatmulSizes& s, bool is_bfloat16) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, is_bfloat16, t = operands] {
      const CBLAS_TRANSPOSE ta = s.ta ? CblasTrans : CblasNoTrans, tb = s.tb ? CblasTrans : CblasNoTrans;
      if (is_bfloat16) {
        cblas_gemm_bf16bf16f32(CblasRowMajor, ta, tb, s.m, s.n, s.k, 1.0f, static_cast<const MKL_BF16*>(t.inputs[0]),
                               s.lda, static_cast<const MKL_BF16*>(t.inputs[1]), s.ldb, 0.0f,
                               static_cast<float*>(t.outputs[0]), s.ldc);
      } else {
        const MKL_INT32 none = 0;
        cblas_gemm_s8u8s32(CblasRowMajor, ta, tb, CblasFixOffset, s.m, s.n, s.k, 1.0f, t.inputs[0], s.lda, 0,
                           t.inputs[1], s.ldb, 0, 0.0f, static_cast<MKL_INT32*>(t.outputs[0]), s.ldc, &none);
      }
    };
  });
}

Calls transpose_calls(const OperationRequest& request, const TransposeSizes& s) {
  return calls_for(request.copies, [&](const Operands& operands) {
    return [s, operands] {
      mkl_somatcopy('R', 'T', s.rows, s.columns, 1.0f, static_cast<const float*>(operands.inputs[0]), s.columns,
                    static_cast<float*>(operands.outputs[0]), s.rows);
    };
  });
}

}  // namespace

std::variant<Operation, CannotDo> make_operation(const OperationRequest& request) {
  const auto sizes = matmul_sizes(request.workload);
  const ir::Type dtype = sizes ? request.workload.type("dtype") : kFloat32;
  const bool is_narrow = dtype == kBFloat16 || dtype == kUInt8, plain = request.weights == Weights::kPlain;
  const auto turned = float32_transpose(request.workload);
  if (!turned && (!sizes || (dtype != kFloat32 && !is_narrow))) {
    return CannotDo{"matmul of float32, bfloat16 and uint8, and transpose of float32 only"};
  }
  if (is_narrow && !plain) return CannotDo{"narrow types are compared with plain weights only"};
  if (const std::string why = beyond_blas(*sizes); !why.empty()) return CannotDo{why};
  if (!plain && sizes->batch > 1) return CannotDo{"packs single matrices only"};
  mkl_set_dynamic(0);
  mkl_set_num_threads(request.threads);
  Calls calls = turned      ? transpose_calls(request, *turned)
                : is_narrow ? narrow_calls(request, *sizes, dtype == kBFloat16)
                : plain     ? plain_calls(request, *sizes)
                            : prepacked_calls(request, *sizes);
  calls.front()();  // loads the kernels
  const std::string kernels = loaded_kernels();
  MKLVersion version = {};
  mkl_get_version(&version);
  return Operation{.detail = fmt::format("{}.{}.{}, kernels {}", version.MajorVersion, version.MinorVersion,
                                         version.UpdateVersion, kernels),
                   .runs_avx512 = kernels == "avx512" || kernels == "avx10",
                   .calls = std::move(calls)};
}

}  // namespace nestwright::bench
