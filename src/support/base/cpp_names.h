// Identifiers of C and C++ for generated text: device sources, exports, schedules as C++.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright {

/// The keywords of C++20, sorted, including the alternative operator spellings (and, xor_eq).
std::span<const std::string_view> cpp_keywords();

bool is_cpp_keyword(std::string_view name);

/// The name with each character that an identifier cannot have replaced by an underscore. It may begin with a digit, be
/// empty, or be a keyword.
std::string with_word_characters(std::string name);

}  // namespace nestwright
