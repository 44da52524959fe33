// The keywords of C++20, which no identifier of a text that we print may be: sources for devices, exports, schedules as
// C++. Thread rule: pure functions.
#pragma once

#include <span>
#include <string_view>

namespace nestwright {

/// In the order of their characters, with those that spell operators (and, xor_eq).
std::span<const std::string_view> cpp_keywords();

bool is_cpp_keyword(std::string_view name);

}  // namespace nestwright
