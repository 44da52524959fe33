// The functions that an expression text may call; conversions are named after their types: float32(x). The operators on
// bits are functions that are named by their symbols and written between their operands: x & 7.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright::text {

struct NamedFunction {
  const char* name;
  std::size_t arity;
  enum class Domain : std::uint8_t {
    kNumbers,  ///< all arguments have one type, which the result has
    kFloats,   ///< likewise, a floating-point type
    kInteger,  ///< likewise, a type of integers
    kOnlyFloat32,
    kSelect,  ///< a condition, and two values of one type
  } domain;
  ir::Expr (*build)(std::span<const ir::Expr> arguments);
};

/// nullptr where there is none of that name.
const NamedFunction* find_function(std::string_view name);
/// Those that are called by a name.
std::vector<std::string> function_names();
/// The type of that name, if there is one.
std::optional<ir::Type> find_type(std::string_view name);

}  // namespace nestwright::text
