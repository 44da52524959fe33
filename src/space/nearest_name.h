// Suggests the known name that is closest to a misspelt one.
// Thread rule: a pure function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nestwright {

/// The first of the names closest to `word` in edit distance, at most two edits away (one for names of up to three
/// letters). Empty where there is none.
std::string nearest_name(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'b'" where b is the nearest of the names; empty where there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// The names as "a, b, c", cut off after `limit` names with the total number of names.
std::string join_names(std::span<const std::string> names, std::size_t limit = 24);

}  // namespace nestwright
