// The types of expressions and buffers: a scalar element type and a number of lanes. A type with several lanes is a
// vector, which only the vector form of a program (expand() in nestwright/lower.h) has.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace nestwright::ir {

enum class TypeCode : std::uint8_t { kInt, kUInt, kFloat, kBFloat, kBool };

struct Type {
  TypeCode code = TypeCode::kInt;
  std::uint8_t bits = 64;
  std::uint16_t lanes = 1;

  bool is_scalar() const { return lanes == 1; }
  bool is_float() const { return code == TypeCode::kFloat || code == TypeCode::kBFloat; }
  /// One that is stored in fewer bits than the float32 in which it is computed.
  bool is_narrow_float() const { return is_float() && bits < 32; }
  bool is_int() const { return code == TypeCode::kInt || code == TypeCode::kUInt; }
  bool is_bool() const { return code == TypeCode::kBool; }
  /// The size of one element in memory, in bytes; 1 for bool.
  int bytes() const { return (bits + 7) / 8; }
  Type with_lanes(int n) const { return {code, bits, static_cast<std::uint16_t>(n)}; }
  Type element() const { return with_lanes(1); }
  /// As printed and parsed: float32, int8, bool, float32x16.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that lists the known types.
  static Type parse(std::string_view text);

  friend bool operator==(const Type&, const Type&) = default;
};

/// Every element type, each once.
std::span<const Type> element_types();

}  // namespace nestwright::ir

namespace nestwright {

inline constexpr ir::Type kBool{ir::TypeCode::kBool, 1, 1};
inline constexpr ir::Type kInt8{ir::TypeCode::kInt, 8, 1};
inline constexpr ir::Type kInt16{ir::TypeCode::kInt, 16, 1};
inline constexpr ir::Type kInt32{ir::TypeCode::kInt, 32, 1};
inline constexpr ir::Type kInt64{ir::TypeCode::kInt, 64, 1};
inline constexpr ir::Type kUInt8{ir::TypeCode::kUInt, 8, 1};
inline constexpr ir::Type kUInt16{ir::TypeCode::kUInt, 16, 1};
inline constexpr ir::Type kUInt32{ir::TypeCode::kUInt, 32, 1};
inline constexpr ir::Type kUInt64{ir::TypeCode::kUInt, 64, 1};
inline constexpr ir::Type kFloat16{ir::TypeCode::kFloat, 16, 1};
inline constexpr ir::Type kBFloat16{ir::TypeCode::kBFloat, 16, 1};
inline constexpr ir::Type kFloat32{ir::TypeCode::kFloat, 32, 1};
inline constexpr ir::Type kFloat64{ir::TypeCode::kFloat, 64, 1};
/// Loop variables, extents and indices.
inline constexpr ir::Type kIndex = kInt64;

}  // namespace nestwright

#pragma GCC visibility pop
