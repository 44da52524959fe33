#include "codegen/opencl/opencl_dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "ir/gpu/launch.h"
#include "nestwright/error.h"

namespace nestwright::codegen {

using ir::Type;

const char* OpenClDialect::integer_type(Type type) const {
  const bool is_unsigned = type.code == ir::TypeCode::kUInt;
  switch (type.bits) {
    case 8:
      return is_unsigned ? "uchar" : "char";
    case 16:
      return is_unsigned ? "ushort" : "short";
    case 32:
      return is_unsigned ? "uint" : "int";
    case 64:
      return is_unsigned ? "ulong" : "long";
    default:
      throw InternalError("internal error: no integer type");
  }
}

std::string OpenClDialect::function(std::string_view name, Type) const { return std::string(name); }

std::string OpenClDialect::bits_of(const std::string& value, Type type) const {
  return fmt::format("{}({})", type.bits == 64 ? "as_ulong" : "as_uint", value);
}

std::string OpenClDialect::of_bits(const std::string& bits, Type type) const {
  return type.bits == 64 ? fmt::format("as_double((ulong)({}))", bits) : fmt::format("as_float((uint)({}))", bits);
}

// Loads and stores of halves need no extension; arithmetic on them does.
std::string OpenClDialect::narrow_floats(Type type) const {
  if (type.code == ir::TypeCode::kFloat) {
    return R"(static inline float nw_float32_of_float16(ushort bits) { return vload_half(0, (const half*)&bits); }
static inline ushort nw_float16_of_float32(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half*)&bits);
  return bits;
}
)";
  }
  check(type.code == ir::TypeCode::kBFloat, "a narrow floating-point type without conversions");
  return R"(static inline float nw_float32_of_bfloat16(ushort bits) { return as_float((uint)bits << 16); }
static inline ushort nw_bfloat16_of_float32(float x) {
  const uint bits = as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (ushort)(bits >> 16 | 0x40u);
  return (ushort)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)";
}

std::string OpenClDialect::file_prologue(bool uses_float64) const {
  return uses_float64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
}

std::string OpenClDialect::kernel_head(const std::string& name,
                                       const std::optional<std::array<std::int64_t, 3>>& block) const {
  if (!block) return "__kernel void " + name;
  return fmt::format("__kernel __attribute__((reqd_work_group_size({}))) void {}", fmt::join(*block, ", "), name);
}

std::string OpenClDialect::parameter(const std::string& type, const std::string& name, bool is_const,
                                     bool alone) const {
  return fmt::format("__global {}{}*{} {}", is_const ? "const " : "", type, alone ? " restrict" : "", name);
}

std::string OpenClDialect::index(ir::LoopKind kind) const {
  return fmt::format("(int)get_{}_id({})", ir::is_block_index(kind) ? "group" : "local", ir::dimension_of(kind));
}

std::vector<std::string> OpenClDialect::shared(const std::vector<SharedArray>& arrays, std::int64_t) const {
  std::vector<std::string> lines;
  for (const SharedArray& array : arrays) {
    lines.push_back(fmt::format("__local {} {}[{}] __attribute__((aligned({})));", array.type, array.name,
                                array.elements, array.alignment));
  }
  return lines;
}

std::string OpenClDialect::vector_type(Type element, int lanes) const {
  const bool exists = lanes >= 2 && lanes <= 16 && std::has_single_bit(static_cast<unsigned>(lanes));
  if (!exists || lanes * element.bytes() > 16) return {};
  return fmt::format("{}{}", memory_type(element), lanes);
}

std::string OpenClDialect::vector_at(const std::string& element, const std::string& type, ir::Scope scope,
                                     bool is_const) const {
  return fmt::format("*({}{}{}*)&{}", scope == ir::Scope::kShared ? "__local " : "__global ", is_const ? "const " : "",
                     type, element);
}

std::string OpenClDialect::vector_lane(const std::string& vector, Type, int, int lane) const {
  return fmt::format("{}.s{:x}", vector, lane);
}

std::string OpenClDialect::make_vector(Type element, const std::vector<std::string>& lanes) const {
  return fmt::format("({}{})({})", memory_type(element), lanes.size(), fmt::join(lanes, ", "));
}

std::string OpenClDialect::non_temporal_store(const std::string& place, const std::string& value) const {
  return fmt::format("{} = {};", place, value);
}

}  // namespace nestwright::codegen
