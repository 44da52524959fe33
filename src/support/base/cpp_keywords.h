// The keywords of C++20, which generated text (device sources, exports, schedules as C++) cannot use as identifiers.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string_view>

namespace nestwright {

/// Sorted, and including the alternative operator spellings (and, xor_eq).
std::span<const std::string_view> cpp_keywords();

bool is_cpp_keyword(std::string_view name);

}  // namespace nestwright
