#include "codegen/source/dialect.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "nestwright/error.h"

namespace nestwright::codegen {

const char* Dialect::value_type(ir::Type type) const {
  if (type.is_bool()) return "bool";
  if (type.is_int()) return integer_type(type);
  return type.bits == 64 ? "double" : "float";
}

const char* Dialect::memory_type(ir::Type type) const {
  if (type.is_bool()) return integer_type(kUInt8);
  return type.is_narrow_float() ? integer_type(unsigned_of(type)) : value_type(type);
}

std::string Dialect::asynchronous_copy(int) const {
  throw InternalError("internal error: a device without asynchronous copies");
}

const char* Dialect::shuffle_xor() const { throw InternalError("internal error: a device without shuffles"); }

std::string Dialect::integer_literal(std::int64_t value, ir::Type type) const {
  if (type.is_bool()) return value != 0 ? "true" : "false";
  if (type.code == ir::TypeCode::kUInt) {
    if (type.bits == 64) return fmt::format("{}u{}", static_cast<std::uint64_t>(value), wide_suffix());
    return fmt::format("{}{}", value, type.bits == 32 ? "u" : "");
  }
  constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return fmt::format("(-{0}{1} - 1{1})", std::numeric_limits<std::int64_t>::max(), wide_suffix());
  }
  if (value == -kMax32 - 1) return fmt::format("(-{} - 1)", kMax32);
  return fmt::format("{}{}", value, value > kMax32 || value < -kMax32 ? wide_suffix() : "");
}

std::string Dialect::float_literal(double value, ir::Type type) const {
  const bool is_double = type.bits == 64;
  if (!std::isfinite(value)) {
    const std::string bits = is_double
                                 ? integer_literal(std::bit_cast<std::int64_t>(value), kUInt64)
                                 : fmt::format("0x{:08x}u", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    return of_bits(bits, type);
  }
  std::string text = is_double ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return is_double ? text : text + "f";
}

Dialect::TensorFunction Dialect::tensor_function(const ir::TensorInstruction&) const {
  throw InternalError("internal error: the device has no tensor instructions");
}

}  // namespace nestwright::codegen
