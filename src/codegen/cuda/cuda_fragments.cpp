// Fragments in CUDA C++, by inline PTX: ldmatrix and mma.sync (PTX ISA, "Warp-level matrix instructions"). All threads
// of a warp call these functions together: thread (x, y) of its 4 by 8 is lane 4*y + x.
#include <fmt/format.h>

#include "codegen/cuda/cuda_dialect.h"
#include "support/error.h"

namespace nestwright::codegen {
namespace {

constexpr const char* kFill =
    R"(static __device__ __forceinline__ void nw_fill_16x8(float* top, float* bottom, float x) {
  top[0] = x, top[1] = x, bottom[0] = x, bottom[1] = x;
}
)";

// Each lane says where one row begins: eight lanes those of a matrix of 8 x 8, of which there are four. Lane l is
// given the elements 2*(l%4) and the next one of row l/4 of each; transposed, of column l/4.
constexpr const char* kLoad =
    R"(static __device__ __forceinline__ void nw_ldmatrix{0}(unsigned int* r0, unsigned int* r1, unsigned int* r2,
                                                  unsigned int* r3, const void* row) {{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4{1}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
               : "=r"(*r0), "=r"(*r1), "=r"(*r2), "=r"(*r3)
               : "r"((unsigned int)__cvta_generic_to_shared(row))
               : "memory");
}}
static __device__ __forceinline__ void nw_load{0}_16x16(unsigned int* top, unsigned int* bottom,
                                                   const unsigned short* from, int step) {{
  const int lane = 4 * (int)threadIdx.y + (int)threadIdx.x;
  const int across = lane / 16 * 8{2}, along = lane / 8 % 2 * 8{3};
  nw_ldmatrix{0}(top, top + 1, bottom, bottom + 1, &from[{4}]);
}}
)";

// Registers of one lane, in the order of PTX.
constexpr const char* kMultiply =
    R"(static __device__ __forceinline__ void nw_mma_{0}(float* c0, float* c1, float* c2, float* c3,
                                                  unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3,
                                                  unsigned int b0, unsigned int b1) {{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.{1}.{1}.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, "
               "{{%0, %1, %2, %3}};"
               : "+f"(*c0), "+f"(*c1), "+f"(*c2), "+f"(*c3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}}
static __device__ __forceinline__ void nw_multiply_{0}(float* top, float* bottom, const unsigned int* a_top,
                                                       const unsigned int* a_bottom, const unsigned int* b) {{
  nw_mma_{0}(top, top + 1, bottom, bottom + 1, a_top[0], a_bottom[0], a_top[1], a_bottom[1], b[0], b[1]);
}}
)";

}  // namespace

Dialect::FragmentFunction CudaDialect::fragment_function(FragmentCall::Kind kind, ir::Type type) const {
  const auto load = [](const char* name, const char* modifier, bool transposed) {
    const char* row = " + lane % 8";
    return fmt::format(kLoad, name, modifier, transposed ? "" : row, transposed ? row : "",
                       transposed ? "along * step + across" : "across * step + along");
  };
  switch (kind) {
    case FragmentCall::Kind::kFill:
      return {"nw_fill_16x8", kFill};
    case FragmentCall::Kind::kLoad:
      return {"nw_load_16x16", load("", "", false)};
    case FragmentCall::Kind::kLoadTransposed:
      return {"nw_load_transposed_16x16", load("_transposed", ".trans", true)};
    case FragmentCall::Kind::kMultiply:
      return {"nw_multiply_" + type.str(), fmt::format(kMultiply, type.str(), type == kFloat16 ? "f16" : "bf16")};
  }
  throw InternalError("internal error: no function of fragments");
}

}  // namespace nestwright::codegen
