#include "nestwright/type.h"

#include <array>
#include <charconv>
#include <utility>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

constexpr auto kNames = std::to_array<std::pair<std::string_view, Type>>({
    {"bool", kBool},
    {"int8", kInt8},
    {"int16", kInt16},
    {"int32", kInt32},
    {"int64", kInt64},
    {"uint8", kUInt8},
    {"uint16", kUInt16},
    {"uint32", kUInt32},
    {"uint64", kUInt64},
    {"float16", kFloat16},
    {"bfloat16", kBFloat16},
    {"float32", kFloat32},
    {"float64", kFloat64},
});

[[noreturn]] void refuse(std::string_view text) {
  std::string known;
  for (const auto& [name, type] : kNames) known += (known.empty() ? "" : ", ") + std::string(name);
  throw UsageError("unknown type '" + std::string(text) + "': use one of " + known +
                   ", with a suffix such as x16 for a vector");
}

}  // namespace

std::span<const Type> element_types() {
  static constexpr auto kTypes = [] {
    std::array<Type, kNames.size()> types{};
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = kNames[i].second;
    return types;
  }();
  return kTypes;
}

std::string Type::str() const {
  std::string text = "?";
  for (const auto& [name, type] : kNames) {
    if (type == element()) text = name;
  }
  return is_scalar() ? text : text + "x" + std::to_string(lanes);
}

Type Type::parse(std::string_view text) {
  const std::size_t x = text.find('x');
  const std::string_view name = text.substr(0, x);
  for (const auto& [known, type] : kNames) {
    if (known != name) continue;
    if (x == std::string_view::npos) return type;
    int n = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + x + 1, end, n);
    if (error != std::errc() || rest != end || n < 2 || n > 65535) refuse(text);
    return type.with_lanes(n);
  }
  refuse(text);
}

}  // namespace nestwright::ir
