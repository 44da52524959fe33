// Products of warpgroups in CUDA C++, by inline PTX: wgmma.mma_async (PTX ISA, "Asynchronous warpgroup-level matrix
// instructions"). The 128 threads of four warps, the first of which has a number that is a multiple of 4, call these
// functions together.
#include <fmt/format.h>

#include <string>

#include "codegen/cuda/cuda_dialect.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

// A descriptor has the address of a matrix, the distances of its cores, all in units of 16 bytes, and in the uppermost
// bits whether it is swizzled. No other instruction may access the sums until they are awaited.
constexpr const char* kProduct =
    R"(static __device__ __forceinline__ void nw_wgmma_{name}(
    {value}* top, {value}* bottom, unsigned long long a, unsigned long long b) {{
  asm volatile("wgmma.mma_async.sync.aligned.m64n{columns}k{steps}.{types} {{"
{registers}
               "}}, %{a}, %{b}, {modifiers};"
               : {operands}
               : "l"(a), "l"(b));
}}
static __device__ __forceinline__ void nw_multiply_shared_{name}(
    {value}* top, {value}* bottom, const void* a, int a_along, int a_across, const void* b, int b_along, int b_across,
    int steps) {{
  const unsigned long long a_cores = {a_cores};
  const unsigned long long b_cores = {b_cores};
  const unsigned int a_at = (unsigned int)__cvta_generic_to_shared(a), b_at = (unsigned int)__cvta_generic_to_shared(b);
#pragma unroll
  for (int i = 0; i < {half}; ++i) asm volatile("" : "+{constraint}"(top[i]), "+{constraint}"(bottom[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < steps; ++step) {{
    nw_wgmma_{name}(top, bottom, a_cores | (a_at + 2 * step * a_along) >> 4, b_cores | (b_at + 2 * step * b_along) >> 4);
  }}
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}}
)";

constexpr const char* kAwait =
    R"(static __device__ __forceinline__ void {name}({value}* top, {value}* bottom) {{
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < {half}; ++i) asm volatile("" : "+{constraint}"(top[i]), "+{constraint}"(bottom[i])::"memory");
}}
)";

/// The distances of the cores of operand `x` in a descriptor. If `x` is swizzled, the second is the distance from one
/// group of 8 rows to the next; the first counts only for rows that run across the reduction, and is the distance from
/// one column of rows to the next.
std::string cores_of(const char* x, bool transposes, bool swizzles) {
  const bool swaps = transposes && swizzles;
  return fmt::format("{0}(unsigned long long)({1}_{2} >> 4) << 32 | (unsigned int)({1}_{3} >> 4) << 16",
                     swizzles ? "1ull << 62 | " : "", x, swaps ? "along" : "across", swaps ? "across" : "along");
}

/// The types of sums, A and B in PTX.
const char* types_of(ir::Type a) {
  if (a == kFloat16) return "f32.f16.f16";
  if (a == kBFloat16) return "f32.bf16.bf16";
  return a == kUInt8 ? "s32.u8.s8" : "s32.s8.s8";
}

}  // namespace

Dialect::TensorFunction CudaDialect::warpgroup_function(const ir::TensorInstruction& instruction) const {
  const bool of_bytes = instruction.type.bytes() == 1;
  const char* constraint = of_bytes ? "r" : "f";
  // Of each 8 columns a thread holds two of its top row, then two of its bottom row.
  const std::int64_t half = instruction.columns / 4;
  const char* const value = of_bytes ? "int" : "float";
  if (instruction.op == ir::TensorOp::kWarpgroupAwait) {
    const std::string name = fmt::format("nw_await_{}_{}", of_bytes ? "int32" : "float32", instruction.columns);
    return {name, fmt::format(fmt::runtime(kAwait), fmt::arg("name", name), fmt::arg("value", value),
                              fmt::arg("half", half), fmt::arg("constraint", constraint))};
  }
  std::string registers, operands;
  for (std::int64_t r = 0; r < 2 * half; ++r) {
    const char* row = r % 4 < 2 ? "top" : "bottom";
    const bool begins_line = r % 8 == 0, ends_line = r % 8 == 7 || r + 1 == 2 * half;
    registers += fmt::format("{}%{}{}{}", begins_line ? "               \"" : " ", r, r + 1 < 2 * half ? "," : "",
                             ends_line ? (r + 1 < 2 * half ? "\"\n" : "\"") : "");
    operands += fmt::format("{}\"+{}\"({}[{}])",
                            r == 0       ? ""
                            : r % 4 == 0 ? ",\n                 "
                                         : ", ",
                            constraint, row, r / 4 * 2 + r % 2);
  }
  const auto suffix = [](const char* x, bool transposes, bool swizzles) {
    return fmt::format("{}{}", transposes ? fmt::format("_{}", x) : "", swizzles ? fmt::format("_swizzled_{}", x) : "");
  };
  const std::string name = fmt::format("{}_{}{}{}", instruction.type.str(), instruction.columns,
                                       suffix("a", instruction.transposes_a, instruction.swizzles_a),
                                       suffix("b", instruction.transposes_b, instruction.swizzles_b));
  const std::string text = fmt::format(
      fmt::runtime(kProduct), fmt::arg("name", name), fmt::arg("value", value),
      fmt::arg("columns", instruction.columns), fmt::arg("steps", of_bytes ? 32 : 16),
      fmt::arg("types", types_of(instruction.type)), fmt::arg("registers", registers), fmt::arg("operands", operands),
      fmt::arg("constraint", constraint), fmt::arg("half", half),
      fmt::arg("a_cores", cores_of("a", instruction.transposes_a, instruction.swizzles_a)),
      fmt::arg("b_cores", cores_of("b", instruction.transposes_b, instruction.swizzles_b)), fmt::arg("a", 2 * half),
      fmt::arg("b", 2 * half + 1),
      fmt::arg("modifiers",
               of_bytes ? std::string("1")
                        : fmt::format("1, 1, 1, {:d}, {:d}", instruction.transposes_a, instruction.transposes_b)));
  return {"nw_multiply_shared_" + name, text};
}

}  // namespace nestwright::codegen
