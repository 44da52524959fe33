// The matrix product C = op(A) op(B): its definition, its reference and its templates.
//   A is [M, K], or [K, M] where ta=1;  B is [K, N], or [N, K] where tb=1;  C is [M, N].
// batch=b makes all three stacks of b matrices; lda, ldb, ldc say how far their rows lie apart, sa, sb, sc their
// matrices (as a BLAS's batched products take them). The stored result is, with all terms but the first optional,
//   C = activation(alpha op(A) op(B) + beta C_in + bias + residual)
// in one pass over C. The arguments are A, B, those of C_in, bias[N] and residual that there are, and C. C_in and
// residual lie as C does; C_in may be C's own memory, which is how a BLAS accumulates. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

Operator matmul_operator();

/// The shapes in which calls pass A, B and C (nestwright/tensor.h); nullopt: the matmul's own.
struct MatmulPassedShapes {
  std::optional<std::vector<std::int64_t>> a, b, c;
};

/// A matrix that is passed in another shape must be compact.
Definition define_matmul(const Workload& workload, const MatmulPassedShapes& passed = {});

/// A factor that does not lie as a matrix for each of the batch, one after the other: the shape of its memory, and the
/// indices there of an element of a stored matrix.
struct MatmulStorage {
  std::vector<std::int64_t> shape;
  std::function<std::vector<Expr>(const Expr& batch, const Expr& row, const Expr& column)> at;
};
/// A factor of a product whose sums another expression finishes.
struct MatmulFactor {
  std::string name;
  bool has_batch = true;  ///< a matrix for each of the batch; if not, one serves all
  std::optional<std::vector<std::int64_t>> passed = {};
  std::optional<MatmulStorage> storage = {};
};
struct MatmulSums {
  Tensor a, b;
  Tensor sums;  ///< without an epilogue; in the layout of C if the workload has none
};
MatmulSums make_matmul_sums(const Workload& workload, const MatmulFactor& a, const MatmulFactor& b,
                            const std::string& name);

/// Computed in double, with the bound 8 eps sqrt(K sum (a b)^2) for each element, where eps is that of the sums' type
/// (bfloat16 products are exact in float32), plus that of the epilogue; integers are exact, and wrap around as int32
/// does. Sums are compensated every few terms, so that the reference is far more exact than the bound even for float64.
Reference matmul_reference(const Workload& workload, const HostTensors& inputs);
/// The same for the elements at these places.
ElementReference matmul_reference_at(const Workload& workload, const InputValues& inputs,
                                     std::span<const std::int64_t> places);
/// Lines along the rows of C, or its columns if the rows are short; none where both are. Freivalds' check: the sums of
/// C's rows, each element times a weight, are A (B w).
std::optional<ir::ElementLines> matmul_lines(const Workload& workload);
LineReference matmul_line_sums(const Workload& workload, const InputValues& inputs, const LineWeights& weights,
                               bool is_linear);

/// Integer inputs; none for integer types, which are exact anyway, for gelu, and for an alpha or beta that is not
/// a small integer.
HostTensors matmul_integer_inputs(const Workload& workload);
/// The same for LargeChecks: positive ones where an activation follows.
InputSources matmul_integer_sources(const Workload& workload);
/// `uniform` with scales for rows and columns of C and for the steps of k; none for integer types.
InputSources matmul_wide_sources(const Workload& workload, const InputSources& uniform);
CheckedInputs matmul_wide_inputs(const Workload& workload, const CheckedInputs& uniform);

/// For any sizes and x86-64 targets, and any type but float16 where the CPU has no arithmetic on it: packing, cache and
/// register tiles, blocked reductions, parallel loops.
Template matmul_cpu_template();
/// For bytes, and for bfloat16 where the CPU multiplies it: words of several steps, one instruction for each.
Template matmul_dot_template();
/// For bytes and bfloat16 on CPUs with AMX: tile registers.
Template matmul_amx_template();
/// For float16 and bfloat16: converted to float32 in blocks.
Template matmul_convert_template();
/// For float16, bfloat16, bytes and tf32 on GPUs with tensor cores: tiles that warps multiply.
Template matmul_mma_template();
/// For the same types on sm_90: tiles that warpgroups multiply where they lie in shared memory.
Template matmul_wgmma_template();
/// For any sizes and types on GPUs: tiles in registers, fed through shared memory, or directly.
Template matmul_gpu_template();

}  // namespace nestwright
