// Fragments in CUDA C++, by inline PTX: ldmatrix and mma.sync (PTX ISA, "Warp-level matrix instructions"). All threads
// of a warp call these functions together: thread (x, y) of its 4 by 8 is lane 4*y + x.
#include <fmt/format.h>

#include "codegen/cuda/cuda_dialect.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

constexpr const char* kFill =
    R"(static __device__ __forceinline__ void nw_fill_{0}({1}* top, {1}* bottom, {1} x) {{
  top[0] = x, top[1] = x, bottom[0] = x, bottom[1] = x;
}}
)";

constexpr const char* kFillAll =
    R"(static __device__ __forceinline__ void nw_fill_all_{0}({1}* sums, int count, {1} x) {{
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = x;
}}
)";

// Each lane passes the address of one row of 16 bytes, eight lanes those of one of the four matrices. Lane l gets the
// four bytes at 4*(l%4) of row l/4 of each matrix; transposed, two halves of column l/4.
constexpr const char* kLoad =
    R"(static __device__ __forceinline__ void nw_ldmatrix{0}(
    unsigned int* r0, unsigned int* r1, unsigned int* r2, unsigned int* r3, const void* row) {{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4{1}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
               : "=r"(*r0), "=r"(*r1), "=r"(*r2), "=r"(*r3)
               : "r"((unsigned int)__cvta_generic_to_shared(row))
               : "memory");
}}
static __device__ __forceinline__ void nw_load{0}(
    unsigned int* top, unsigned int* bottom, const void* from, int bytes) {{
  const int lane = 4 * (int)threadIdx.y + (int)threadIdx.x, matrix = lane / 8;
  const int row = {2} * 8 + lane % 8, column = {3} * 16;
  nw_ldmatrix{0}(top, top + 1, bottom, bottom + 1, (const char*)from + row * bytes + column);
{4}}}
)";

constexpr const char* kRound =
    R"(static __device__ __forceinline__ void nw_round_register(unsigned int* x) {
  asm("cvt.rna.tf32.f32 %0, %0;" : "+r"(*x));
}
)";
// ldmatrix does not transpose elements of 32 bits. Loads have no bank conflicts if rows lie 8 or 24 banks of 32 apart.
constexpr const char* kLoadTransposedTf32 =
    R"(static __device__ __forceinline__ void nw_load_transposed_tf32(
    unsigned int* top, unsigned int* bottom, const void* from, int bytes) {
  const char* const row = (const char*)from + (int)threadIdx.x * bytes + (int)threadIdx.y * 4;
  top[0] = *(const unsigned int*)row, top[1] = *(const unsigned int*)(row + 4 * bytes);
  bottom[0] = *(const unsigned int*)(row + 32), bottom[1] = *(const unsigned int*)(row + 4 * bytes + 32);
  nw_round_register(top), nw_round_register(top + 1);
  nw_round_register(bottom), nw_round_register(bottom + 1);
}
)";
constexpr const char* kRoundLoaded =
    "  nw_round_register(top), nw_round_register(top + 1);\n"
    "  nw_round_register(bottom), nw_round_register(bottom + 1);\n";

// The registers of one lane, in PTX's order.
constexpr const char* kMultiply =
    R"(static __device__ __forceinline__ void nw_mma_{0}(
    {4}* c0, {4}* c1, {4}* c2, {4}* c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3,
    unsigned int b0, unsigned int b1) {{
  asm volatile("mma.sync.aligned.{1}.row.col.{3}.{2}.{3} {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, "
               "{{%0, %1, %2, %3}};"
               : "+{5}"(*c0), "+{5}"(*c1), "+{5}"(*c2), "+{5}"(*c3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}}
static __device__ __forceinline__ void nw_multiply_{0}(
    {4}* top, {4}* bottom, const unsigned int* a_top, const unsigned int* a_bottom, const unsigned int* b) {{
  nw_mma_{0}(top, top + 1, bottom, bottom + 1, a_top[0], a_bottom[0], a_top[1], a_bottom[1], b[0], b[1]);
}}
)";

/// The shape and the types of an mma instruction in PTX: A and B are both float16, bfloat16 or tf32, or A is bytes and
/// B int8.
struct Instruction {
  const char *shape, *types;
};
Instruction instruction_of(ir::Type a) {
  if (a == kFloat16) return {"m16n8k16", "f16.f16"};
  if (a == kBFloat16) return {"m16n8k16", "bf16.bf16"};
  if (a == kFloat32) return {"m16n8k8", "tf32.tf32"};
  return {"m16n8k32", a == kUInt8 ? "u8.s8" : "s8.s8"};
}

}  // namespace

Dialect::TensorFunction CudaDialect::tensor_function(const ir::TensorInstruction& instruction) const {
  const ir::Type type = instruction.type;
  const bool of_bytes = type.bytes() == 1;
  using enum ir::TensorOp;
  switch (instruction.op) {
    case kFragmentFill:
      return {"nw_fill_" + type.str(), fmt::format(kFill, type.str(), value_type(type))};
    case kWarpgroupFill:
      return {"nw_fill_all_" + type.str(), fmt::format(kFillAll, type.str(), value_type(type))};
    case kFragmentLoad:
      if (type == kFloat32) {
        return {"nw_load_tf32", fmt::format(kLoad, "_tf32", "", "matrix / 2", "matrix % 2", kRoundLoaded),
                "nw_round_register", kRound};
      }
      return {"nw_load", fmt::format(kLoad, "", "", "matrix / 2", "matrix % 2", "")};
    case kFragmentLoadTransposed:
      if (type == kFloat32) {
        return {"nw_load_transposed_tf32", kLoadTransposedTf32, "nw_round_register", kRound};
      }
      return {"nw_load_transposed", fmt::format(kLoad, "_transposed", ".trans", "matrix % 2", "matrix / 2", "")};
    case kFragmentMultiply: {
      const auto [shape, types] = instruction_of(type);
      const std::string name = type == kFloat32 ? "tf32" : type.str();
      return {"nw_multiply_" + name, fmt::format(kMultiply, name, shape, types, of_bytes ? "s32" : "f32",
                                                 of_bytes ? "int" : "float", of_bytes ? "r" : "f")};
    }
    case kWarpgroupMultiply:
    case kWarpgroupAwait:
      return warpgroup_function(instruction);
    case kTileConfigure:
    case kTileRelease:
    case kTileZero:
    case kTileLoad:
    case kTileStore:
    case kTileMultiply:
      break;
  }
  throw InternalError("internal error: a tensor instruction of CPUs in a device's source");
}

}  // namespace nestwright::codegen
