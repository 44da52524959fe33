#include "codegen/cuda/cuda_dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/gpu/launch.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

using ir::Type;

constexpr std::string_view kComponents = "xyzw";

/// Whether vectors pack the elements into words of up to 4 bytes.
bool is_packed(Type element) { return element.bytes() < 4; }

/// The name of a vector type without its length: "float" for float4.
const char* vector_stem(Type element) {
  if (element.is_float()) return element.bits == 64 ? "double" : "float";
  const bool is_unsigned = element.code == ir::TypeCode::kUInt;
  if (element.bits == 64) return is_unsigned ? "ulonglong" : "longlong";
  return is_unsigned ? "uint" : "int";
}

/// Elements first .. first + count - 1 as one unsigned integer.
std::string packed(const std::vector<std::string>& elements, std::size_t first, std::size_t count, int bytes) {
  std::string word;
  for (std::size_t i = 0; i < count; ++i) {
    word += fmt::format("{}(unsigned int)(unsigned {})({})", i > 0 ? " | " : "", bytes == 1 ? "char" : "short",
                        elements[first + i]);
    if (i > 0) word += fmt::format(" << {}", 8 * static_cast<std::size_t>(bytes) * i);
  }
  return word;
}

}  // namespace

const char* CudaDialect::integer_type(Type type) const {
  const bool is_unsigned = type.code == ir::TypeCode::kUInt;
  switch (type.bits) {
    case 8:
      return is_unsigned ? "unsigned char" : "signed char";
    case 16:
      return is_unsigned ? "unsigned short" : "short";
    case 32:
      return is_unsigned ? "unsigned int" : "int";
    case 64:
      return is_unsigned ? "unsigned long long" : "long long";
    default:
      throw InternalError("internal error: no integer type");
  }
}

std::string CudaDialect::function(std::string_view name, Type type) const {
  return std::string(name) + (type.bits == 64 ? "" : "f");
}

std::string CudaDialect::bits_of(const std::string& value, Type type) const {
  return type.bits == 64 ? fmt::format("(unsigned long long)__double_as_longlong({})", value)
                         : fmt::format("__float_as_uint({})", value);
}

std::string CudaDialect::of_bits(const std::string& bits, Type type) const {
  return type.bits == 64 ? fmt::format("__longlong_as_double((long long)({}))", bits)
                         : fmt::format("__uint_as_float({})", bits);
}

std::string CudaDialect::narrow_floats(Type type) const {
  if (type.code == ir::TypeCode::kFloat) {
    return R"(static __device__ __forceinline__ float nw_float32_of_float16(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
static __device__ __forceinline__ unsigned short nw_float16_of_float32(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
)";
  }
  check(type.code == ir::TypeCode::kBFloat, "a narrow floating-point type without conversions");
  return R"(static __device__ __forceinline__ float nw_float32_of_bfloat16(unsigned short bits) {
  return __uint_as_float((unsigned int)bits << 16);
}
static __device__ __forceinline__ unsigned short nw_bfloat16_of_float32(float x) {
#if __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  const unsigned int bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40u);
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
}
)";
}

// The mask has all 32 threads of the warp.
const char* CudaDialect::shuffle_xor() const { return "__shfl_xor_sync(0xffffffffu, "; }

std::string CudaDialect::file_prologue(bool) const { return {}; }

std::string CudaDialect::kernel_head(const std::string& name,
                                     const std::optional<std::array<std::int64_t, 3>>& block) const {
  const std::string bounds =
      block ? fmt::format("__launch_bounds__({}) ", (*block)[0] * (*block)[1] * (*block)[2]) : std::string();
  return fmt::format("extern \"C\" __global__ void {}{}", bounds, name);
}

std::string CudaDialect::parameter(const std::string& type, const std::string& name, bool is_const, bool alone) const {
  return fmt::format("{}{}*{} {}", is_const ? "const " : "", type, alone ? " __restrict__" : "", name);
}

std::string CudaDialect::index(ir::LoopKind kind) const {
  return fmt::format("(int){}Idx.{}", ir::is_block_index(kind) ? "block" : "thread",
                     kComponents[ir::dimension_of(kind)]);
}

// Copies of 16 bytes bypass the first-level cache (cp.async.cg); shorter ones have no such instruction.
std::string CudaDialect::asynchronous_copy(int bytes) const {
  return fmt::format(
      R"(static __device__ __forceinline__ void nw_copy_{0}(void* to, const void* from, bool condition) {{
  asm volatile("cp.async.{1}.shared.global [%0], [%1], {0}, %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
               "l"(from), "r"(condition ? {0} : 0)
               : "memory");
}}
)",
      bytes, bytes == 16 ? "cg" : "ca");
}

std::string CudaDialect::wait_for_copies(int pending) const {
  return fmt::format("asm volatile(\"cp.async.{};\" ::: \"memory\");",
                     pending == 0 ? "wait_all" : fmt::format("wait_group {}", pending));
}

std::vector<std::string> CudaDialect::shared(const std::vector<SharedArray>& arrays, std::int64_t bytes) const {
  std::vector<std::string> lines;
  const bool is_static = bytes <= ir::kMaxStaticSharedBytes;
  if (!is_static) {
    std::int64_t alignment = ir::kPointerAlignment;
    for (const SharedArray& array : arrays) alignment = std::max(alignment, array.alignment);
    lines.push_back(fmt::format(
        "extern __shared__ __align__({}) unsigned char nw_shared[];  // the launch says how large", alignment));
  }
  for (const SharedArray& array : arrays) {
    lines.push_back(
        is_static ? fmt::format("__shared__ __align__({}) {} {}[{}];", array.alignment, array.type, array.name,
                                array.elements)
                  : fmt::format("{0}* const {1} = ({0}*)(nw_shared + {2});", array.type, array.name, array.offset));
  }
  return lines;
}

std::string CudaDialect::vector_type(Type element, int lanes) const {
  const int bytes = lanes * element.bytes();
  if (lanes < 2 || bytes > 16) return {};
  if (is_packed(element)) {
    switch (bytes) {
      case 2:
        return "unsigned short";
      case 4:
        return "unsigned int";
      case 8:
        return "uint2";
      case 16:
        return "uint4";
      default:
        return {};
    }
  }
  if (lanes != 2 && lanes != 4) return {};
  return fmt::format("{}{}", vector_stem(element), lanes);
}

std::string CudaDialect::vector_at(const std::string& element, const std::string& type, ir::Scope,
                                   bool is_const) const {
  return fmt::format("*({}{}*)&{}", is_const ? "const " : "", type, element);
}

std::string CudaDialect::vector_lane(const std::string& vector, Type element, int lanes, int lane) const {
  if (!is_packed(element)) return fmt::format("{}.{}", vector, kComponents[static_cast<std::size_t>(lane)]);
  const int at = lane * element.bytes();
  const std::string word = lanes * element.bytes() > 4
                               ? fmt::format("{}.{}", vector, kComponents[static_cast<std::size_t>(at / 4)])
                               : vector;
  const std::string part = at % 4 == 0 ? word : fmt::format("({} >> {})", word, 8 * (at % 4));
  return fmt::format("({}){}", memory_type(element), part);
}

std::string CudaDialect::make_vector(Type element, const std::vector<std::string>& lanes) const {
  const std::string type = vector_type(element, static_cast<int>(lanes.size()));
  if (!is_packed(element)) return fmt::format("make_{}({})", type, fmt::join(lanes, ", "));
  const std::size_t in_a_word = 4 / static_cast<std::size_t>(element.bytes());
  if (lanes.size() <= in_a_word) return fmt::format("({})({})", type, packed(lanes, 0, lanes.size(), element.bytes()));
  std::vector<std::string> words;
  for (std::size_t first = 0; first < lanes.size(); first += in_a_word) {
    words.push_back(packed(lanes, first, in_a_word, element.bytes()));
  }
  return fmt::format("make_{}({})", type, fmt::join(words, ", "));
}

std::string CudaDialect::non_temporal_store(const std::string& place, const std::string& value) const {
  return fmt::format("__stcs({}, {});", place[0] == '*' ? place.substr(1) : "&" + place, value);
}

}  // namespace nestwright::codegen
